@testable import Encodings
@testable import KeyWrapping
@testable import SecureMemory
@testable import Threema
@testable import ThreemaDataBackup

/// Files of Threema's apps.
enum AppFiles {
    static func dataBackup(_ bytes: [UInt8]) throws {
        let backup = try DataBackup(ArchiveSource(bytes))
        expect(backup.tableBytes >= 0, "the lengths add up")
        _ = try backup.open(password: SecureBytes(copying: Array("password".utf8).span))
    }

    /// The first byte chooses the table.
    static func tables(_ bytes: [UInt8]) throws {
        let (first, text) = split(bytes)
        var (faults, list) = (TableFaults(), DocumentList())
        switch first % 3 {
        case 0: try ContactTable.read(text.span, own: Chat.id, &faults, into: &list) { _ in }
        case 1: try GroupTable.read(text.span, own: Chat.id, &faults, into: &list) { _ in }
        default: try DistributionListTable.read(text.span, &faults, into: &list) { _ in }
        }
        expect(faults.first.count <= faults.count, "each fault is counted")
    }

    static func android(_ bytes: [UInt8]) throws {
        let key = MasterKey(Chat.secret(19))
        _ = try? AndroidPreference.open(bytes.span, masterKey: key)
        let account = try AndroidAccount(settings: bytes)
        _ = try AndroidPreference.identity(in: bytes.span, masterKey: key, of: account)
    }

    static func desktop(_ bytes: [UInt8]) throws {
        let cost = try DesktopKeyStorage.cost(of: bytes.span)
        expect(cost.memoryKiB <= 8 << 20, "a cost that can be paid")
    }

    static func texts(_ bytes: [UInt8]) throws {
        if let key = try? GatewayKeyText.decode(bytes.span, mayBeBare: true) {
            let text = GatewayKeyText.encode(key)
            let again = try! text.withBytes { try GatewayKeyText.decode($0, mayBeBare: false) }
            expect(again.bytes.revealBytes() == key.bytes.revealBytes(), "the same key")
        }
        if let identity = try? Identity(decoding: bytes.span) {
            expect(identity.encoded().revealBytes() == bytes, "an identity has one form")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        if let number = try? PhoneNumber(parsing: text) {
            expect((try? PhoneNumber(parsing: number.text)) == number, "the same number")
        }
        if let address = try? EmailAddress(normalizing: text) {
            expect((try? EmailAddress(normalizing: address.text)) == address, "the same address")
        }
        if let code = try? ContactCode(parsing: text) {
            expect((try? ContactCode(parsing: code.text)) == code, "the same code")
        }
        let code = try GroupedCode(parsing: text)
        expect((try? GroupedCode(parsing: code.text))?.text == code.text, "the same code")
        // A wrong password is asked of the cheap scheme only.
        _ = try IDBackup.scheme(of: code)
    }
}
