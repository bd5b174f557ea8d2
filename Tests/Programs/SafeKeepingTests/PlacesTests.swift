import Encodings
import Keystore
import SafeKeepingKit
import SafeKit
import SafeRules
import SafeWire
import SecureMemory
import Synchronization
import Testing
import Threema
import ThreemaSafe

@testable import SafeKeeping
@testable import ThreemaRecords

/// Several places of one identity, with the same Safe key: each has its own state, and no verb at one changes another.
@Suite struct PlacesTests {
    private static let nas = SafePlace(Household.id, PlaceName("nas")!)
    private let house: Household
    private let other: MemoryServer

    /// The places `main` and `nas`, nothing pushed.
    init() throws {
        other = try MemoryServer("file:///nas")
        house = try Household(beside: other)
        _ = try house.safe.setUpSafe(
            Self.nas, at: SafeEndpoint(other.address), withKeyOf: Household.main, test: nil)
    }

    private func push(_ place: SafePlace, force: Bool = false) throws -> Outcome.Result {
        var options = SafeKeeper.PushOptions()
        options.isForced = force
        return try house.safe.push(place, options).outcome
    }

    private func pushBoth() throws {
        _ = try push(Household.main)
        _ = try push(Self.nas)
    }

    private func state(_ name: PlaceName) throws -> UploadState {
        try UploadState(of: house.keystore.identity(.threema(Household.id)), at: name, key: house.keystore.stateKey)
    }

    @Test func `they are listed with main first`() throws {
        #expect(try house.safe.places(of: Household.id) == [Household.main, Self.nas])
        #expect(try house.safe.places(of: [Household.id, Household.id]).count == 4)
    }

    @Test func `each has its own state, generation and history`() throws {
        try pushBoth()
        _ = try push(Self.nas, force: true)
        #expect(try house.safe.status(of: Household.main).generation == 1)
        #expect(try house.safe.status(of: Self.nas).generation == 2)
        #expect(try house.safe.history(of: Household.main).isEmpty)
        #expect(try house.safe.history(of: Self.nas).count == 1)
        #expect(house.server.backups[Household.place] != other.backups[Household.place])
    }

    @Test func `the state of one is not that of another`() throws {
        try pushBoth()
        let identity = try house.locked()
        let copy = try identity.records.readState(of: .main)?.copied
        let file = try #require(copy)
        try identity.writeState(file, of: Self.nas.name)
        #expect(try state(Self.nas.name) == UploadState())
    }

    @Test func `the probe tells two places from one under two names`() throws {
        _ = house.server.takeRequests()
        let second = SafePlace(Household.id, PlaceName("second")!)
        #expect(throws: SafeKeepingError.samePlace(id: "ABCD1234", place: "main")) {
            _ = try house.safe.setUpSafe(
                second, at: SafeEndpoint(house.server.address), withKeyOf: Household.main, test: nil)
        }
        #expect(house.server.takeRequests() == [.store, .fetch, .remove])
        #expect(house.server.backups.isEmpty && other.backups.isEmpty)
        #expect(try house.safe.places(of: Household.id).count == 2)
    }

    @Test func `a place shares the key that is to be shared at that moment, or none`() throws {
        let third = SafePlace(Household.id, PlaceName("third")!)
        let server = try MemoryServer("file:///third")
        func setUp(withKeyOf source: SafePlace) throws {
            _ = try house.safe.setUpSafe(third, at: SafeEndpoint(server.address), withKeyOf: source, test: nil)
        }
        // Another process has set up `main` since it was asked.
        #expect(throws: SafeKeepingError.differentKeys(id: "ABCD1234")) { try setUp(withKeyOf: Self.nas) }
        // The password of `main` is about to be another one.
        house.server.misbehave { _, request in request == .store ? .refused(.refused(code: 500)) : nil }
        #expect(throws: (any Error).self) {
            _ = try house.safe.changePassword(at: Household.main, to: secret("another password"))
        }
        house.server.recover()
        #expect(throws: Household.refusal(.changeUnfinished, .changeUnfinished)) {
            try setUp(withKeyOf: Household.main)
        }
        #expect(try house.safe.places(of: Household.id).count == 2)
    }

    @Test func `a deletion marks the others before it, and reads them after it`() throws {
        try pushBoth()
        let seen = Mutex<Finding?>(nil)
        let house = house
        house.server.misbehave { _, request in
            guard request == .remove else { return nil }
            let state = try? UploadState(
                of: house.keystore.identity(.threema(Household.id)), at: Self.nas.name, key: house.keystore.stateKey)
            seen.withLock { $0 = state?.safe?.state.finding }
            return nil
        }
        _ = other.takeRequests()
        _ = try house.safe.deleteSafe(at: Household.main)
        #expect(seen.withLock { $0 } == .unproven)
        #expect(other.takeRequests() == [.config, .fetch])
        #expect(try state(Self.nas.name).safe?.state.finding == nil)
        #expect(try house.safe.places(of: Household.id) == [Self.nas])
        #expect(other.backups.count == 1)
    }

    @Test func `a deletion does not mark another backup`() throws {
        try house.locked().write(SafeSetup(Household.target(house.server, 8)), at: .main)
        try pushBoth()
        _ = other.takeRequests()
        _ = try house.safe.deleteSafe(at: Household.main)
        #expect(other.takeRequests() == [])
    }

    @Test func `what is missing after a deletion elsewhere is uploaded again`() throws {
        try pushBoth()
        other.backups = [:]
        #expect(throws: SafeKeepingError.othersLost(id: "ABCD1234", places: ["nas"], areRestored: true)) {
            _ = try house.safe.deleteSafe(at: Household.main)
        }
        #expect(other.backups.count == 1 && house.server.backups.isEmpty)
    }

    @Test func `the proof of a code stays if main is deleted`() throws {
        try house.changeState { $0.codeProvenAt = house.now }
        try pushBoth()
        let proven = try house.safe.status(of: Self.nas).codeProvenAt
        #expect(proven == Household.start)
        _ = try house.safe.deleteSafe(at: Household.main)
        #expect(try house.safe.status(of: Self.nas).codeProvenAt == proven)
        _ = try house.safe.deleteSafe(at: Self.nas)
        let records = try house.keystore.identity(.threema(Household.id))
        #expect(try records.codeProvenAt(key: house.keystore.stateKey) == proven)
    }

    @Test func `each has its own time of success`() throws {
        try pushBoth()
        house.advance(.seconds(3600))
        let later = house.now
        #expect(try push(Self.nas) == .unchanged)
        #expect(try house.safe.status(of: Self.nas).lastGoodPush == later)
        #expect(try house.safe.status(of: Household.main).lastGoodPush == Household.start)
    }

    @Test func `a place that is deleted leaves its history, and of its state what is about that`() throws {
        try pushBoth()
        _ = try house.safe.deleteSafe(at: Self.nas)
        let records = try house.keystore.identity(.threema(Household.id))
        let left = try state(Self.nas.name)
        #expect(left.safe == nil && left.history.items.map(\.number) == [1] && left.history.next == 2)
        #expect(try records.timeOfSuccess(of: Self.nas.name) == nil)
        #expect(try house.safe.placesWithHistory(of: Household.id) == [Household.main, Self.nas])
    }

    @Test func `a change of one leaves the others alone`() throws {
        try pushBoth()
        let (record, backup) = (try state(.main), house.server.backups)
        _ = try house.safe.changePassword(at: Self.nas, to: secret("another password"))
        #expect(try state(.main).safe?.state.last == record.safe?.state.last)
        #expect(try state(.main).safe?.state.finding == nil)
        #expect(house.server.backups == backup && other.backups.count == 1)
        #expect(other.backups[Household.place] == nil)
    }
}
