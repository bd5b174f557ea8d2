import SafeKeepingKit
import SafeKit
import Keystore
import SafeRules
import SafeWire
import SecureMemory
import Testing
import Threema
import VectorKit

@testable import SafeKeeping
@testable import ThreemaRecords

/// What the records of an identity contain, and what happens where they do not.
@Suite struct RecordTests {
    private let house: Household

    init() throws {
        house = try Household()
    }

    private func decode(_ record: [UInt8]) throws(SafeSetupError) -> (address: String, key: [UInt8]) {
        let setup = try SafeSetup(decoding: record.span)
        return (setup.current.address.text, setup.current.keys.masterKey.copied)
    }

    private var record: [UInt8] {
        SafeSetup(Household.target(house.server)).encoded().copied
    }

    @Test func `a setup is version, key, address and place`() throws {
        // 01, then field 1 of 89 bytes: field 1, 64 bytes of key; field 2, 14 of text; field 7, the place's name.
        #expect(
            record == [1, 0x0a, 89, 0x0a, 64] + [UInt8](repeating: 7, count: 64) + [0x12, 14]
                + Array("file:///memory".utf8) + [0x3a, 5] + Array("place".utf8))
        let (address, key) = try decode(record)
        #expect(address == "file:///memory")
        #expect(key == [UInt8](repeating: 7, count: 64))
    }

    @Test func `a place without a name has that of its address`() throws {
        let earlier =
            [1, 0x0a, 82, 0x0a, 64] + [UInt8](repeating: 7, count: 64) + [0x12, 14] + Array("file:///memory".utf8)
        let setup = try SafeSetup(decoding: earlier.span)
        #expect(setup.current.placeName == Array("file:///memory".utf8))
    }

    @Test func `a change is in the record, with what was agreed to`() throws {
        let digests = [Digest(number: 5), Digest(number: 6)]
        var knowledge = Knowledge(current: .unknown)
        knowledge.consents = digests
        knowledge.isLeavingOld = true
        knowledge.isDeleting = true
        var setup = SafeSetup(Household.target(house.server))
        setup.apply(.begin, knowledge, candidate: Household.target(house.server, 8))
        let read = try SafeSetup(decoding: setup.encoded().copied.span)
        let (consents, isLeavingOld, isDeleting) = (read.consents, read.isLeavingOld, read.isDeleting)
        #expect(consents == digests)
        #expect(isLeavingOld && isDeleting)
        #expect(key(of: read.next) == [UInt8](repeating: 8, count: 64))
        setup.apply(.complete, Knowledge(current: .unknown), candidate: nil)
        let completed = try SafeSetup(decoding: setup.encoded().copied.span)
        let present = completed.current.keys.masterKey.copied
        #expect(present == [UInt8](repeating: 8, count: 64))
        #expect(key(of: completed.retiring) == [UInt8](repeating: 7, count: 64))
        #expect(key(of: completed.next) == nil)
        let (left, consented) = (completed.isLeavingOld, completed.consents)
        #expect(!left && consented == [])
    }

    private func key(of target: borrowing SafeTarget?) -> [UInt8]? {
        switch target {
        case .some(let target): target.keys.masterKey.copied
        case .none: nil
        }
    }

    @Test func `every truncation and anything behind it is malformed`() {
        for count in record.indices {
            #expect(throws: SafeSetupError.self, "\(count) bytes") { try decode(Array(record[..<count])) }
        }
        #expect(throws: SafeSetupError.self) { try decode(record + [0]) }
        #expect(throws: SafeSetupError.self) { try decode(record + record[1...]) }
    }

    @Test func `no changed byte traps`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<3000 {
            var changed = record
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                changed[Int.random(in: changed.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            _ = try? decode(changed)
        }
    }

    @Test func `addresses that no build knows are malformed`() {
        for text in ["http://safe.example.net", "https://", "file://host/x", "", "\u{0}"] {
            let bytes = Array(text.utf8)
            let target = [0x0a, 64] + [UInt8](repeating: 7, count: 64) + [0x12, UInt8(bytes.count)] + bytes
            #expect(throws: SafeSetupError.self, "\(text)") { try decode([1, 0x0a, UInt8(target.count)] + target) }
        }
    }

    @Test func `what is sealed and makes no sense is damaged`() throws {
        let id = Owner.threema(Household.id)
        let broken: [(RecordName, String, [UInt8])] = [
            (.identity, "identity", [1, 2, 3]), (.profile, "profile", Array("{}".utf8)),
            (.profile, "profile", Array("nonsense".utf8)), (.safe(at: .main), "safe", [2]),
            (.safe(at: .main), "safe", []),
        ]
        for (name, text, content) in broken {
            let house = try Household()
            try house.locked().write(name, content.span)
            #expect(throws: KeystoreError.damaged(record: text, owner: id), "\(text)") {
                try house.push { $0.isForced = true }
            }
            #expect(house.server.backups == [:])
        }
    }

    @Test(arguments: ["identity", "profile"]) func `a record that is missing is damaged`(_ name: String) throws {
        try house.locked().remove(name == "identity" ? .identity : .profile)
        #expect(throws: KeystoreError.damaged(record: name, owner: .threema(Household.id))) {
            try house.push { $0.isForced = true }
        }
        #expect(house.server.backups == [:])
    }

    @Test func `an identity under another name is damaged`() throws {
        let bytes = Household.identity().encoded().copied
        var other = bytes
        other[7] ^= 1
        try house.locked().write(.identity, other.span)
        #expect(throws: KeystoreError.damaged(record: "identity", owner: .threema(Household.id))) {
            _ = try house.clientKey()
        }
    }
}
