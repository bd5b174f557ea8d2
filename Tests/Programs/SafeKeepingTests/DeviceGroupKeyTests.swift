import SafeKeepingKit
import SafeKit
import Encodings
import Keystore
import Primitives
import SafeWire
import SecureMemory
import Testing
import Threema
import ThreemaRecords
import ThreemaSafe
import VectorKit

@testable import SafeKeeping

/// The device group key of a profile: in a record of its own, in the backup, and in the digests of the content.
@Suite struct DeviceGroupKeyTests {
    private let house: Household

    init() throws {
        house = try Household()
    }

    private static func profile(_ byte: UInt8?, _ nickname: String = "first") -> Profile {
        guard let byte else { return Profile(Household.document(nickname)) }
        return Profile(
            Household.document(nickname),
            deviceGroupKey: DeviceGroupKey(SecureBytes(copying: [UInt8](repeating: byte, count: 32).span)))
    }

    private static func appBackup(_ profile: borrowing Profile) throws -> [UInt8] {
        let identity = Household.identity()
        return try SafeBackup.seal(identity.clientKey, profile, writerInfo: nil, keys: Household.safeKeys())
    }

    private func records() throws -> (profile: [UInt8]?, key: [UInt8]?) {
        let records = try house.keystore.identity(.threema(Household.id))
        return (try records.read(.profile)?.copied, try records.read(.deviceGroupKey)?.copied)
    }

    private func isHolding(_ profile: borrowing Profile) throws -> Bool {
        try house.keystore.identity(.threema(Household.id)).profile() == profile
    }

    /// The profile record of an earlier version of keytool, with the key inside.
    private func writeWhole(_ profile: borrowing Profile) throws {
        let held = try house.locked()
        try profile.revealContent().withBytes { try held.write(.profile, $0) }
    }

    private func isSame(_ backup: [UInt8]?, _ profile: borrowing Profile) throws -> Bool {
        let backup = try #require(backup)
        return try SafeBackup.open(backup.span, keys: Household.safeKeys()).profile == profile
    }

    @Test func `a pull stores it beside the profile, and a push uploads it`() throws {
        house.server.backups[Household.place] = try Self.appBackup(Self.profile(0xdd, "phone"))
        try house.pull { $0.isReplacing = true }
        let (profile, key) = try records()
        #expect(profile == Household.document("phone").encoded)
        #expect(key == [UInt8](repeating: 0xdd, count: 32))
        try house.push { $0.isForced = true }
        #expect(try isSame(house.server.backups[Household.place], Self.profile(0xdd, "phone")))
    }

    @Test func `a pull without it removes it`() throws {
        try house.locked().write(Self.profile(0xdd))
        house.server.backups[Household.place] = try Self.appBackup(Self.profile(nil))
        try house.pull { $0.isReplacing = true }
        #expect(try records().key == nil)
        #expect(try isHolding(Self.profile(nil)))
    }

    @Test func `another key is changed content`() throws {
        for byte: UInt8? in [nil, 0xdd, 0xde, nil] {
            try house.locked().write(Self.profile(byte))
            #expect(try house.push().outcome == .uploaded)
            #expect(try isSame(house.server.backups[Household.place], Self.profile(byte)))
            #expect(try house.push().outcome == .unchanged)
            house.advance(.hours(25))
        }
    }

    @Test func `a change of it that was not uploaded is not lost by a pull`() throws {
        try house.push()
        try house.locked().write(Self.profile(0xdd))
        #expect(throws: Household.refusal(.unpushedChanges)) { try house.pull() }
        #expect(try isHolding(Self.profile(0xdd)))
    }

    @Test func `check tells two of them apart`() throws {
        try house.locked().write(Self.profile(0xdd))
        try house.push()
        #expect(try house.safe.look(at: Household.main).isUnpushed == false)
        try house.locked().write(Self.profile(0xde))
        #expect(try house.safe.look(at: Household.main).isUnpushed == true)
    }

    @Test func `inside the document, as earlier versions stored it, it is found`() throws {
        try writeWhole(Self.profile(0xdd))
        #expect(try isHolding(Self.profile(0xdd)))
        try house.push()
        #expect(try isSame(house.server.backups[Household.place], Self.profile(0xdd)))
        // Written again, it is in its own record, and nothing has changed.
        try house.locked().write(Self.profile(0xdd))
        #expect(try records().profile == Household.document().encoded)
        #expect(try house.push().outcome == .unchanged)
    }

    @Test func `an earlier version that wrote last wins over the record`() throws {
        try house.locked().write(Self.profile(0xdd))
        try writeWhole(Self.profile(0xde))
        #expect(try isHolding(Self.profile(0xde)))
    }

    @Test func `the digest of the content is that of the whole document`() throws {
        let target = Household.target(house.server)
        let key = SecureBytes(copying: [UInt8](repeating: 9, count: 32).span)
        let place = Array("place\0\(target.keys.backupID.hex)".utf8)
        for byte: UInt8? in [nil, 0xdd] {
            let whole = Self.profile(byte).revealContent().copied
            #expect((whole == Household.document().encoded) == (byte == nil))
            let expected = BLAKE2b.authenticate((place + whole).span, key: key)
            #expect(TargetDigests(target, Self.profile(byte), key: key).content.bytes == expected)
        }
    }

    @Test func `a record of another length is damaged`() throws {
        let held = try house.locked()
        try held.write(.deviceGroupKey, [UInt8](repeating: 1, count: 31).span)
        #expect(throws: KeystoreError.damaged(record: "devicegroupkey", owner: .threema(Household.id))) {
            _ = try isHolding(Self.profile(nil))
        }
    }
}
