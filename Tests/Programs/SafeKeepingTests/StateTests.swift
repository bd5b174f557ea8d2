import Encodings
import Foundation
import SafeKeepingKit
import SafeKit
import SafeWire
import Testing
import Threema
import VectorKit

@testable import SafeKeeping
@testable import ThreemaRecords

/// The file `state.json`: lost, foreign, or written by somebody else.
@Suite struct StateTests {
    private let house: Household

    init() throws {
        house = try Household()
    }

    /// Whether a state keeps the next push from looking at the server.
    private func keepsStill() throws -> Bool {
        house.server.misbehave { _, _ in .refused(.full) }
        defer { house.server.recover() }
        do {
            try house.push()
            return true
        } catch SafeExchangeError.full {
            return false
        }
    }

    @Test func `a genuine one does keep it from that`() throws {
        try house.push()
        let unchanged = try keepsStill()
        #expect(unchanged)
        try house.change(to: Household.document("second"))
        let deferred = try keepsStill()
        #expect(deferred)
    }

    @Test func `it names neither server nor backup id, nor anything of the profile`() throws {
        try house.push()
        let text = String(decoding: try #require(house.stateFile), as: UTF8.self)
        for secret in ["memory", Household.place, String(Household.place.prefix(8)), "first", "CONTAC", "file:"] {
            #expect(!text.contains(secret), "\(secret)")
        }
    }

    @Test func `a lost one is found again on the server`() throws {
        try house.push()
        house.stateFile = nil
        let result = try house.push()
        #expect(result.outcome == .uploaded)
        // The writer info says that this keystore wrote it, and how many there were.
        #expect(result.upload?.generation == 2)
        #expect(result.replaced == nil)
    }

    /// The keystore may be an older copy of itself: what is on the server may be news.
    @Test func `a lost one and another content on the server are a conflict`() throws {
        try house.push()
        let uploaded = house.server.backups
        try house.change(to: Household.document("second"))
        house.stateFile = nil
        #expect(throws: Household.conflict) { try house.push() }
        #expect(house.server.backups == uploaded)
        try house.push { $0.isOverwriting = true }
        #expect(try house.stored()?.document == Household.document("second"))
    }

    @Test func `one of another backup id counts as none`() throws {
        try house.push()
        try house.setUp(8)
        let result = try house.push()
        #expect(result.outcome == .uploaded)
        #expect(house.server.backups.count == 2)
        #expect(result.upload?.generation == 1)
    }

    @Test func `one of another server counts as none`() throws {
        try house.push()
        let address = try SafeServerAddress(parsing: "file:///elsewhere")
        let target = SafeTarget(server: SafeEndpoint(address), keys: Household.safeKeys())
        try house.locked().write(SafeSetup(target.copy), at: .main)
        let keptStill = try keepsStill()
        #expect(!keptStill)
    }

    @Test func `one of another identity or keystore counts as none`() throws {
        let other = try Household(sharing: house.server)
        try other.push { $0.isOverwriting = true }
        house.stateFile = other.stateFile
        let keptStill = try keepsStill()
        #expect(!keptStill)
    }

    @Test func `an older one that was restored costs a look, not a backup`() throws {
        try house.push()
        let older = house.stateFile
        try house.change(to: Household.document("second"))
        house.advance(.hours(23))
        try house.push()
        house.stateFile = older
        // It says that the content is another than what is here, and is old enough: upload. What stands there
        // is this keystore's, but of a later run than the state knows of: somebody else may be at work.
        #expect(throws: Household.conflict) { try house.push() }
        #expect(try house.stored()?.document == Household.document("second"))
    }

    @Test(arguments: [
        "", "{}", "[]", "null", "nonsense", #"{"version":1}"#, #"{"version":2}"#, #"{"version":1,"mac":""}"#,
        #"{"version":1,"mac":null,"safe":null}"#, String(repeating: "[", count: 60_000),
        String(repeating: " ", count: 64 * 1024 + 1), "{\"version\":1,\"version\":1}", "\u{feff}{}",
    ]) func `one that is none counts as none`(_ text: String) throws {
        try house.push()
        house.stateFile = Array(text.utf8)
        let state = try house.state()
        #expect(state == UploadState())
        let keptStill = try keepsStill()
        #expect(!keptStill)
    }

    @Test func `every truncation counts as none`() throws {
        try house.push()
        let genuine = try #require(house.stateFile)
        for count in genuine.indices {
            house.stateFile = Array(genuine[..<count])
            let state = try house.state()
            #expect(state == UploadState(), "\(count) bytes")
        }
    }

    /// What a state says, whatever its spelling; nil for what is no JSON.
    private func meaning(_ file: [UInt8]) -> JSONValue? {
        guard let root = try? JSONScanner.parse(file.span) else { return nil }
        return root.setting("mac", to: root["mac"]?.string.map { .string($0.lowercased()) }).sorted
    }

    private static let changes = triesAllCases ? 5000 : 500

    @Test(arguments: [true, false]) func `thousands of changes keep nothing from being uploaded`(
        _ isUnchanged: Bool
    ) throws {
        try house.push()
        if !isUnchanged { try house.change(to: Household.document("second")) }
        let genuine = try #require(house.stateFile)
        var mutation = Mutation(of: genuine)
        var same = 0
        for _ in 0..<Self.changes {
            let file = mutation.next()
            house.stateFile = file
            let keptStill = try keepsStill()
            let isGenuine = meaning(file) == meaning(genuine)
            if isGenuine { same += 1 }
            #expect(keptStill == isGenuine, "\(String(decoding: file, as: UTF8.self))")
        }
        // Most of them do change what it says.
        #expect(same < Self.changes / 2)
    }
}
