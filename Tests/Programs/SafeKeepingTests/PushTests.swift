import SafeKeepingKit
import SafeKit
import Encodings
import SafeRules
import SafeWire
import Testing
import Threema

@testable import SafeKeeping

/// The table of `safe push`: what is done, and with which requests.
@Suite struct PushTests {
    private let house: Household

    init() throws {
        house = try Household()
    }

    /// Pushes, and expects an outcome and the requests that it took.
    private func expectPush(
        _ outcome: Outcome.Result, _ requests: [MemoryServer.Request],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        _ = house.server.takeRequests()
        let result = try house.push()
        #expect(result.outcome == outcome, sourceLocation: sourceLocation)
        #expect(house.server.takeRequests() == requests, sourceLocation: sourceLocation)
    }

    private let upload: [MemoryServer.Request] = [.config, .fetch, .store, .fetch]

    @Test func `the first push uploads, the second finds nothing to do`() throws {
        try expectPush(.uploaded, upload)
        let stored = try #require(try house.stored())
        #expect(stored.document == Household.document())
        #expect(stored.clientKey == [UInt8](repeating: 0xcc, count: 32))
        #expect(stored.writerInfo?.generation == 1)
        #expect(stored.writerInfo?.writtenAt == Household.start)
        try expectPush(.unchanged, [])
    }

    @Test func `the result says what was uploaded and until when it is kept`() throws {
        house.server.served = ServerLimits(maxBackupBytes: 5000, retentionDays: 30).config
        let result = try house.push()
        let upload = try #require(result.upload)
        #expect(upload.bytes == house.server.backups[Household.place]?.count)
        #expect(upload.limits == ServerLimits(maxBackupBytes: 5000, retentionDays: 30))
        #expect(upload.generation == 1)
        #expect(upload.isVerified)
        #expect(result.replaced == nil)
        #expect(result.server.text == "file:///memory")
        #expect(result.uploadedAt == house.now)
        #expect(result.seenAt == house.now)
        #expect(result.expiresAt == house.now + .days(30))
        #expect(result.refreshAfter == house.now + .days(15))
        house.advance(.hours(1))
        let unchanged = try house.push()
        #expect(unchanged.upload == nil)
        #expect(unchanged.uploadedAt == Household.start)
    }

    @Test func `a change waits for 23 hours after the last upload`() throws {
        try house.push()
        try house.change(to: Household.document("second"))
        let due = Household.start + .hours(23)
        try expectPush(.deferred(until: due), [])
        house.setClock(due + .milliseconds(-1000))
        try expectPush(.deferred(until: due), [])
        let before = try #require(try house.stored())
        #expect(before.document == Household.document("first"))
        house.setClock(due)
        try expectPush(.uploaded, upload)
        let after = try #require(try house.stored())
        #expect(after.document == Household.document("second"))
        #expect(after.writerInfo?.generation == 2)
    }

    @Test func `a change that is taken back needs no upload`() throws {
        try house.push()
        try house.change(to: Household.document("second"))
        try house.change(to: Household.document("first"))
        try expectPush(.unchanged, [])
    }

    @Test func `after half of the retention it is uploaded again`() throws {
        house.server.served = ServerLimits(maxBackupBytes: 5000, retentionDays: 10).config
        try house.push()
        house.advance(.hours(5 * 24) + .milliseconds(-1))
        try expectPush(.unchanged, [])
        house.advance(.milliseconds(1))
        try expectPush(.refreshed, upload)
        try expectPush(.unchanged, [])
        let stored = try #require(try house.stored())
        #expect(stored.writerInfo?.generation == 2)
    }

    @Test func `once a week it is looked for`() throws {
        try house.push()
        house.advance(.days(7) + .milliseconds(-1))
        try expectPush(.unchanged, [])
        house.advance(.milliseconds(1))
        try expectPush(.confirmed, [.fetch])
        house.advance(.days(6))
        try expectPush(.unchanged, [])
        house.advance(.days(1))
        try expectPush(.confirmed, [.fetch])
    }

    @Test func `what is missing after a week is restored`() throws {
        try house.push()
        house.server.backups = [:]
        house.advance(.days(7))
        try expectPush(.restored, [.fetch] + upload)
        let stored = try #require(try house.stored())
        #expect(stored.document == Household.document())
        #expect(stored.writerInfo?.generation == 2)
        try expectPush(.unchanged, [])
    }

    @Test(arguments: [0, 24, 39, 40, 100, -1]) func `what is damaged after a week is restored`(_ place: Int) throws {
        try house.push()
        var blob = try #require(house.server.backups[Household.place])
        blob[place < 0 ? blob.count - 1 : place] ^= 1
        house.server.backups[Household.place] = blob
        house.advance(.days(7))
        let result = try house.push()
        #expect(result.outcome == .restored)
        #expect(result.replaced == .damaged)
        let stored = try #require(try house.stored())
        #expect(stored.document == Household.document())
    }

    @Test func `after a failure it is uploaded at once, whatever it was`() throws {
        try house.push()
        try house.change(to: Household.document("second"))
        house.advance(.hours(23))
        house.server.misbehave { _, request in request == .store ? .refused(.full) : nil }
        #expect(throws: SafeExchangeError.full) { try house.push() }
        house.server.recover()
        try expectPush(.uploaded, upload)
        try expectPush(.unchanged, [])
    }

    @Test(arguments: [MemoryServer.Request.config, .fetch, .store]) func `a failure of any request counts`(
        _ failing: MemoryServer.Request
    ) throws {
        try house.push()
        house.advance(.days(100))
        let away = SafeExchangeError.unavailable("file:///memory")
        house.server.misbehave { _, request in request == failing ? .refused(away) : nil }
        #expect(throws: away) { try house.push() }
        house.server.recover()
        let state = try house.state()
        #expect(state.safe?.state.hasFailed == true)
        let result = try house.push()
        #expect(result.outcome == .uploaded || result.outcome == .refreshed)
    }

    @Test func `a server that asked to wait is left alone`() throws {
        try house.push()
        try house.change(to: Household.document("second"))
        house.advance(.hours(23))
        let timestamp = house.now + .hours(1)
        try house.changeState { $0.safe?.state.notBefore = timestamp }
        _ = house.server.takeRequests()
        #expect(throws: Household.refusal(.waiting(until: timestamp, loss: nil))) { try house.push() }
        #expect(house.server.takeRequests() == [])
        house.setClock(timestamp)
        try expectPush(.uploaded, upload)
    }

    @Test func `force uploads at once`() throws {
        try house.push()
        let result = try house.push { $0.isForced = true }
        #expect(result.outcome == .uploaded)
        #expect(result.upload?.generation == 2)
    }

    @Test func `without verification the next run looks`() throws {
        _ = house.server.takeRequests()
        let result = try house.push { $0.isVerifying = false }
        #expect(result.upload?.isVerified == false)
        #expect(house.server.takeRequests() == [.config, .fetch, .store])
        try expectPush(.confirmed, [.fetch])
        try expectPush(.unchanged, [])
    }

    @Test func `a dry run asks nobody and changes nothing`() throws {
        let before = house.stateFile
        let first = try house.push { $0.isDryRun = true }
        #expect(first.outcome == .wouldUpload)
        #expect(house.stateFile == before)
        try house.push()
        house.advance(.days(7))
        let state = house.stateFile
        _ = house.server.takeRequests()
        let second = try house.push { $0.isDryRun = true }
        #expect(second.outcome == .wouldConfirm)
        #expect(house.server.takeRequests() == [])
        #expect(house.stateFile == state)
    }

    @Test func `without a setup there is nothing to push`() throws {
        let house = try Household(isSetUp: false)
        #expect(throws: SafeKeepingError.noSetup(id: "ABCD1234")) { try house.push() }
        #expect(house.server.takeRequests() == [])
    }

    @Test func `a push that would lose over half of the contacts is refused`() throws {
        try house.change(to: Household.document(contacts: 10))
        try house.push()
        house.advance(.days(1))
        try house.change(to: Household.document(contacts: 5))
        try expectPush(.uploaded, upload)
        house.advance(.days(1))
        try house.change(to: Household.document(contacts: 2))
        #expect(throws: Household.refusal(.losesContacts(before: 5, now: 2))) { try house.push() }
        let before = try #require(try house.stored())
        #expect(before.document.contactCount == 5)
        _ = house.server.takeRequests()
        #expect(throws: Household.refusal(.losesContacts(before: 5, now: 2))) { try house.push { $0.isDryRun = true } }
        #expect(house.server.takeRequests() == [])
        // To upload now is not to agree to a loss.
        #expect(throws: Household.refusal(.losesContacts(before: 5, now: 2))) { try house.push { $0.isForced = true } }
        let result = try house.push { $0.isAcceptingLoss = true }
        #expect(result.outcome == .uploaded)
    }
}
