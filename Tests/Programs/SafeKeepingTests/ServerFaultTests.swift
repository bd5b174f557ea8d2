import SafeKeepingKit
import SafeKit
import Encodings
import SafeWire
import Testing
import Threema
import ThreemaSafe

@testable import SafeKeeping

/// Servers that are wrong, full, hostile, or that lie.
@Suite struct ServerFaultTests {
    private let house: Household

    init() throws {
        house = try Household()
    }

    @Test func `after three wrong answers it is not verified`() throws {
        house.server.misbehave { number, request in number > 1 && request == .fetch ? .lie([1, 2, 3]) : nil }
        #expect(throws: Household.refusal(.notVerified(.current))) { try house.push() }
        #expect(house.server.takeRequests() == [.config, .fetch, .store, .fetch, .fetch, .fetch])
        house.server.recover()
        // It did arrive, so it is no conflict, and the next run repeats it.
        let result = try house.push()
        #expect(result.outcome == .restored)
        #expect(result.upload?.isVerified == true)
    }

    @Test(arguments: [1, 2]) func `a cache that answers late is given three tries`(_ wrong: Int) throws {
        house.server.misbehave { number, request in
            number > 1 && number <= 2 + wrong && request == .fetch ? .lie(nil) : nil
        }
        let result = try house.push()
        #expect(result.upload?.isVerified == true)
        #expect(house.server.takeRequests().count == 4 + wrong)
    }

    @Test func `a server that stores nothing and says it did is found out`() throws {
        house.server.misbehave { _, request in request == .store ? .ignored : nil }
        #expect(throws: Household.refusal(.notVerified(.current))) { try house.push() }
        let state = try house.state()
        #expect(state.safe?.state.uploadedAt == nil)
        #expect(state.safe?.state.hasFailed == true)
    }

    @Test func `a backup over the server's limit is not sent`() throws {
        try house.push()
        let bytes = try #require(house.server.backups[Household.place]?.count)
        let before = house.server.backups
        for limit in [1, bytes - 1] {
            house.server.served = ServerLimits(maxBackupBytes: limit, retentionDays: 180).config
            _ = house.server.takeRequests()
            #expect(
                throws: SafeKeepingError.tooLarge(
                    .current, bytes: bytes, limit: limit, pictureBytes: 0, isChangeUnfinished: false)
            ) {
                try house.push { $0.isForced = true }
            }
            #expect(house.server.takeRequests() == [.config, .fetch])
        }
        #expect(house.server.backups == before)
        house.server.served = ServerLimits(maxBackupBytes: bytes, retentionDays: 180).config
        let result = try house.push { $0.isForced = true }
        #expect(result.upload?.bytes == bytes)
    }

    @Test func `a picture that makes it too large is named`() throws {
        house.server.served = ServerLimits(maxBackupBytes: 2000, retentionDays: 180).config
        let picture = JSONValue.string(String(repeating: "A", count: 3000))
        try house.change(to: SafeDocument(["info": ["version": 1], "user": ["profilePic": picture]]))
        let error = #expect(throws: SafeKeepingError.self) { try house.push() }
        guard case .tooLarge(.current, let bytes, limit: 2000, pictureBytes: 3000, isChangeUnfinished: false)? = error
        else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(bytes > 3000)
    }

    @Test(arguments: [
        ("", ServerLimitsError.notJSON), ("<html>", .notJSON), ("[]", .missing("maxBackupBytes")),
        (#"{"maxBackupBytes":0,"retentionDays":180}"#, .maxBackupBytes),
        (#"{"maxBackupBytes":"524288","retentionDays":180}"#, .missing("maxBackupBytes")),
        (#"{"maxBackupBytes":524288}"#, .missing("retentionDays")),
    ]) func `without a config that makes sense nothing is sent`(_ config: String, _ error: ServerLimitsError) throws {
        house.server.served = Array(config.utf8)
        #expect(throws: SafeKeepingError.badLimits(error)) { try house.push() }
        #expect(house.server.takeRequests() == [.config])
        #expect(house.server.backups == [:])
    }

    @Test func `a retention of no sense cannot turn uploads off`() throws {
        house.server.served = Array(#"{"maxBackupBytes":524288,"retentionDays":99999999999999999999}"#.utf8)
        let result = try house.push()
        #expect(result.expiresAt == house.now + .days(180))
        house.advance(.days(90))
        let refreshed = try house.push()
        #expect(refreshed.outcome == .refreshed)
    }

    @Test func `a server that lost its preparation says so`() throws {
        house.server.served = nil
        #expect(throws: SafeExchangeError.notPrepared("file:///memory")) { try house.push() }
    }

    @Test func `two pushes at once: the second waits, then finds nothing to do`() async throws {
        async let first = Task.detached { [house] in try house.push().outcome }.value
        async let second = Task.detached { [house] in try house.push().outcome }.value
        let outcomes = try await [first, second]
        #expect(outcomes.contains(.uploaded))
        #expect(outcomes.contains(.unchanged))
        #expect(house.server.takeRequests().filter { $0 == .store }.count == 1)
    }
}
