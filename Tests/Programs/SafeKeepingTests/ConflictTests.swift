import SafeKeepingKit
import SafeKit
import Encodings
import SafeWire
import Testing
import Threema
import ThreemaSafe

@testable import SafeKeeping

/// Never over somebody else's backup.
@Suite struct ConflictTests {
    private let house: Household
    private let conflict = Household.conflict

    init() throws {
        house = try Household()
    }

    /// Pushes when it is due, expects a conflict, and that nothing was overwritten.
    private func expectConflict(
        over blob: [UInt8], isOtherKey: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let conflict = Household.refusal(.conflict(.current, isOtherKey: isOtherKey))
        house.server.backups[Household.place] = blob
        _ = house.server.takeRequests()
        #expect(throws: conflict, sourceLocation: sourceLocation) { try house.push() }
        #expect(house.server.takeRequests().contains(.store) == false, sourceLocation: sourceLocation)
        #expect(house.server.backups == [Household.place: blob], sourceLocation: sourceLocation)
        // And so it stays, however often cron tries.
        #expect(throws: conflict, sourceLocation: sourceLocation) { try house.push() }
        #expect(house.server.backups == [Household.place: blob], sourceLocation: sourceLocation)
    }

    @Test func `an app's backup is in the way of the first push`() throws {
        try expectConflict(over: Household.appBackup(Household.document("phone")))
    }

    @Test func `an app's backup is in the way of a due one`() throws {
        try house.push()
        try house.change(to: Household.document("second"))
        house.advance(.hours(23))
        try expectConflict(over: Household.appBackup(Household.document("phone")))
        let state = try house.state()
        #expect(state.safe?.state.hasFailed == true)
    }

    @Test func `a conflict costs two requests`() throws {
        house.server.backups[Household.place] = try Household.appBackup(Household.document("phone"))
        _ = house.server.takeRequests()
        #expect(throws: conflict) { try house.push() }
        #expect(house.server.takeRequests() == [.config, .fetch])
    }

    @Test func `looking once a week finds it, too`() throws {
        try house.push()
        house.advance(.days(7))
        try expectConflict(over: Household.appBackup(Household.document("phone")))
    }

    @Test func `another private key under the same ID is a conflict`() throws {
        try house.push()
        house.advance(.days(100))
        try expectConflict(over: Household.appBackup(Household.document(), key: 0x11), isOtherKey: true)
    }

    @Test func `pulling resolves it`() throws {
        try house.push()
        house.advance(.days(7))
        try expectConflict(over: Household.appBackup(Household.document("phone")))
        try house.pull()
        #expect(try house.profile() == Household.document("phone"))
        // An app does not say when it wrote: the next push uploads, over what was pulled.
        let result = try house.push()
        #expect(result.outcome == .uploaded)
        let again = try house.push()
        #expect(again.outcome == .unchanged)
        #expect(try house.stored()?.document == Household.document("phone"))
    }

    @Test func `overwriting resolves it the other way`() throws {
        house.server.backups[Household.place] = try Household.appBackup(Household.document("phone"))
        #expect(throws: conflict) { try house.push() }
        #expect(throws: conflict) { try house.push { $0.isForced = true } }
        let result = try house.push { $0.isOverwriting = true }
        #expect(result.outcome == .uploaded)
        #expect(try house.stored()?.document == Household.document())
        let again = try house.push()
        #expect(again.outcome == .unchanged)
    }

    @Test func `another keystore with the same ID and password is another device`() throws {
        try house.push()
        let other = try Household(sharing: house.server)
        try other.change(to: Household.document("other"))
        #expect(throws: conflict) { try other.push() }
        try other.pull { $0.isReplacing = true }
        try other.change(to: Household.document("other"))
        let pushed = try other.push { $0.isForced = true }
        // The count goes on from what was there.
        #expect(pushed.upload?.generation == 2)

        let newer = try #require(house.server.backups[Household.place])
        house.advance(.days(7))
        expectConflict(over: newer)
        try house.pull()
        #expect(try house.profile() == Household.document("other"))
        let last = try house.push { $0.isForced = true }
        #expect(last.upload?.generation == 3)
    }

    @Test func `the same key and content loses nothing by being replaced`() throws {
        let other = try Household(sharing: house.server)
        try other.push()
        let push = try house.push()
        #expect(push.outcome == .uploaded)
        #expect(push.replaced == nil)
        // From then on the other one's backup is another device's, whatever is in it.
        try other.push { $0.isOverwriting = true }
        house.advance(.days(7))
        #expect(throws: conflict) { try house.push() }
    }

    @Test func `a pull brings what an overwriting push has seen and not replaced`() throws {
        try house.push()
        let other = try Household(sharing: house.server)
        try other.pull { $0.isReplacing = true }
        try other.change(to: Household.document("other"))
        try other.push { $0.isForced = true }
        house.server.misbehave { _, request in request == .store ? .ignored : nil }
        #expect(throws: (any Error).self) { try house.push { $0.isOverwriting = true } }
        house.server.recover()
        try house.pull()
        #expect(try house.profile() == Household.document("other"))
        #expect(try house.push { $0.isForced = true }.upload?.generation == 3)
    }

    @Test func `a copy of this keystore at work elsewhere is another device`() throws {
        try house.push()
        let earlier = house.stateFile
        try house.push { $0.isForced = true }
        // A copy made before the second push knows nothing of it.
        house.stateFile = earlier
        house.advance(.days(7))
        try expectConflict(over: #require(house.server.backups[Household.place]))
    }

    @Test func `an older backup of ours that was restored is replaced, with a word`() throws {
        try house.push()
        let first = try #require(house.server.backups[Household.place])
        try house.push { $0.isForced = true }
        try house.push { $0.isForced = true }
        house.server.backups[Household.place] = first
        house.advance(.days(7))
        let result = try house.push()
        #expect(result.outcome == .restored)
        #expect(result.replaced == .older(generation: 1))
        #expect(result.upload?.generation == 4)
    }

    @Test func `a newer format of an app is a conflict, not damage`() throws {
        let json = #"{"info":{"version":2},"user":{"privatekey":"zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMw="}}"#
        expectConflict(over: sealed(json))
    }

    /// It opens with our key: somebody who knows the password wrote it, and it is not ours.
    @Test(arguments: [
        #"{"info":{"version":1},"user":{"privatekey":"zMzM"}}"#, #"{"info":{"version":1},"user":{"nickname":7}}"#,
        #"{"info":{"version":1,"version":1},"user":{}}"#, #"{"user":{}}"#, "not JSON at all", "",
    ]) func `what is authentic and does not read is a conflict, not damage`(_ json: String) throws {
        let blob = sealed(json)
        house.server.backups[Household.place] = blob
        #expect(throws: conflict) { try house.push() }
        #expect(house.server.backups == [Household.place: blob])
        let result = try house.push { $0.isOverwriting = true }
        #expect(result.replaced == .foreign)
        #expect(try house.history().count == 1)
    }

    @Test(arguments: [[], [1], [UInt8](repeating: 0, count: 40), [UInt8](repeating: 0xff, count: 5000)] as [[UInt8]])
    func `what does not authenticate is nobody's, and is replaced with a word`(_ blob: [UInt8]) throws {
        house.server.backups[Household.place] = blob
        let result = try house.push()
        #expect(result.outcome == .uploaded)
        #expect(result.replaced == .damaged)
        #expect(try house.stored()?.document == Household.document())
    }

    @Test func `what is too long to be read is replaced with consent only, whatever the server's conditions`() throws {
        try house.push()
        house.server.backups[Household.place] = [UInt8](repeating: 0, count: maxFetchedBytes + 1)
        #expect(throws: Household.refusal(.tooLong(.current))) { try house.push { $0.isForced = true } }
        #expect(throws: Household.refusal(.tooLong(.current))) { try house.safe.deleteSafe(at: Household.main) }
        try house.push { $0.isOverwriting = true }
        #expect(try house.stored()?.document == Household.document())
    }

    private func sealed(_ json: String) -> [UInt8] {
        SafeBackup.seal(Array(json.utf8).span, nonce: [UInt8](repeating: 3, count: 24), keys: Household.safeKeys())
    }

    /// Anyone who knows the password can write any number.
    @Test(arguments: [1 << 53 - 1, 1 << 53, 1 << 53 + 1, .max - 1, .max] as [Int64])
    func `numbers at the end of counting trap nothing`(_ generation: Int64) throws {
        let writerInfo =
            #"{"generation":\#(generation),"written_at":0,"writer":"\#(String(repeating: "01", count: 16))"}"#
        let key = "zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMw="
        house.server.backups[Household.place] = sealed(
            #"{"info":{"version":1},"user":{"privatekey":"\#(key)"},"keytool":\#(writerInfo)}"#)
        #expect(throws: conflict) { try house.push() }
        let first = try house.push { $0.isOverwriting = true }
        let second = try house.push { $0.isForced = true }
        let numbers = try [first, second].map { try #require($0.upload?.generation) }
        #expect(numbers.allSatisfy(SafeBackup.WriterInfo.generations.contains))
        #expect(numbers[0] <= numbers[1])
        let last = try house.push()
        #expect(last.outcome == .unchanged)
    }
}
