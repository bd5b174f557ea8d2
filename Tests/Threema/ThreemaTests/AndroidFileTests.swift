import Encodings
import Foundation
import KeyWrapping
import SecureMemory
import Testing
import VectorKit

@testable import Threema

/// Files of the Android app. The master key is that of the app's tests, the private key a public one; OpenSSL has
/// encrypted the values.
@Suite struct AndroidFileTests {
    private static let key = "494be0be35af77bb1287941d70328110af2ed0ae5d19865b537225e91783690a"
    private static let iv = "000102030405060708090a0b0c0d0e0f"
    private static let privateKey = "94af3260fa2a19adc8e82e82be598be15bc6ad6f47c8ee303cb185ef860e16d2"
    private static let publicKey = "3851ad59c96146a05b32e41c0ccd0fd639dc8cd66bf6e1cbd3c8d67e4e8f5531"
    private static let file =
        iv + "81c95c7d2da8f371607d53a9ef3b88c88475ee17c660d4b567ebccccd76cfabf"
        + "c8332e31ed8965e7d09d6be7de930809"
    private static let xml = """
        <?xml version='1.0' encoding='utf-8' standalone='yes' ?>
        <map>
            <string name="identity">ABCDEFGH</string>
            <boolean name="on" value="true" />
            <set name="many"><string>identity</string><string name="identity">WRONG</string></set>
            <string name="public_key">\(publicKey)</string>
            <long name="public_key" value="7" />
            <string name="nickname">Ann &amp; Bo</string>
        </map>
        """

    private let account = try! AndroidAccount(settings: Array(xml.utf8))

    private func bytes(_ hex: String) -> [UInt8] { [UInt8](hex: hex)! }

    private func masterKey(_ hex: String = key) -> MasterKey { MasterKey(SecureBytes(copying: bytes(hex).span)) }

    private func open(_ file: [UInt8], _ key: String = key) throws(AndroidFileError) -> [UInt8] {
        try AndroidPreference.open(file.span, masterKey: masterKey(key)).copied
    }

    private func refusal(_ file: [UInt8], _ key: String = key, of account: AndroidAccount? = nil) -> AndroidFileError? {
        do throws(AndroidFileError) {
            _ = try AndroidPreference.identity(in: file.span, masterKey: masterKey(key), of: account ?? self.account)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a key file and a private key become an identity`() throws {
        let passphrase = SecureBytes(copying: Array("superSecretPassword".utf8).span)
        let keyFiles = [
            "00dc46c6c4bd4500ab8ed7732237d2e86275eae9d2c4f3f83cfc8ff8dbcdb69e060000000000000000b9ff7fe0",
            "02b6aa7f457f64d5ff56416c05a127b9f7fa11c3142af0af335765050eb3f35c4be630f849314fe57bb9ff7fe0",
        ]
        for keyFile in keyFiles {
            let wrapped = try WrappedKey(SecureBytes(copying: bytes(keyFile).span))
            let key = wrapped.protection == .none ? try wrapped.open() : try wrapped.open(passphrase: passphrase)
            let file = bytes(Self.file)
            let identity = try AndroidPreference.identity(in: file.span, masterKey: key, of: account)
            #expect(identity.id.text == "ABCDEFGH")
            #expect(identity.clientKey.bytes.copied == bytes(Self.privateKey))
        }
        #expect(account.nickname == "Ann & Bo" && account.publicKey.hex == Self.publicKey)
        #expect(account == AndroidAccount(id: account.id, publicKey: account.publicKey, nickname: "Ann & Bo"))
    }

    @Test(arguments: [
        ("https://safe.example.org/", "708e2561f9b423f7b22abf5773c4a11b262224cb1397207dac9fa5000bfaf6ae"),
        ("", "205ccc7fa0338996d0c627223035c662"),
    ])
    func `other values`(_ text: String, _ sealed: String) throws {
        #expect(try open(bytes(Self.iv + sealed)) == Array(text.utf8))
    }

    @Test func `values that OpenSSL encrypts now`() throws {
        let plain = URL(filePath: NSTemporaryDirectory()).appending(path: "value-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: plain) }
        for count in [0, 1, 15, 16, 17, 64, 1000, 65_519] {
            let (value, key, iv) = (Random.bytes(count), Random.bytes(32), Random.bytes(16))
            try Data(value).write(to: plain)
            let sealed = try Program.output(
                of: "/usr/bin/timeout",
                ["-s", "KILL", "60", "openssl", "enc", "-aes-256-cbc", "-K", key.hex, "-iv", iv.hex], reading: plain)
            #expect(try open(iv + sealed, key.hex) == value, "\(count) bytes")
        }
    }

    @Test func `what is refused`() throws {
        let file = bytes(Self.file)
        for count in [0, 1, 16, 31, 33, 63, 65, AndroidPreference.maxCount + 16] {
            #expect(refusal([UInt8](repeating: 0, count: count)) == .wrongLength(count))
        }
        // The app had no identity, or was reset; and a value of another preference.
        #expect(refusal(bytes(Self.iv + "205ccc7fa0338996d0c627223035c662")) == .noPrivateKey(count: 0))
        let url = Self.iv + "708e2561f9b423f7b22abf5773c4a11b262224cb1397207dac9fa5000bfaf6ae"
        #expect(refusal(bytes(url)) == .noPrivateKey(count: 25))
        // A changed vector opens to another key, which only the public key tells.
        for byte in 0..<16 {
            var changed = file
            changed[byte] ^= 1
            // Clamping drops the lowest three bits of the key.
            #expect(refusal(changed) == (byte == 0 ? nil : .otherPrivateKey), "byte \(byte)")
        }
        let other = AndroidAccount(id: account.id, publicKey: PublicKey([UInt8](repeating: 9, count: 32))!)
        #expect(refusal(file, of: other) == .otherPrivateKey)
        let refusals = (0..<200).map { _ in refusal(file, Random.bytes(32).hex) }
        #expect(refusals.allSatisfy { $0 != nil } && refusals.contains(.notOpened))
    }

    @Test(arguments: [
        ("<map></map>", AndroidFileError.missing("identity")), ("", .malformed), ("<map>", .malformed),
        ("<map><string name=\"identity\">abc</string></map>", .invalid("identity")),
        ("<map><string name=\"identity\"></string></map>", .invalid("identity")),
        ("<map><string name=\"identity\">ABCDEFGH</string></map>", .missing("public_key")),
        ("<list><string name=\"identity\">ABCDEFGH</string></list>", .missing("identity")),
        ("<!DOCTYPE map [<!ENTITY a \"b\">]><map></map>", .malformed), ("<map><!-- --></map>", .malformed),
        ("<map><a><b><c/></b></a></map>", .malformed),
    ])
    func `settings that are refused`(_ text: String, _ error: AndroidFileError) {
        #expect(throws: error) { try AndroidAccount(settings: Array(text.utf8)) }
    }

    @Test func `more settings that are refused`() throws {
        func settings(_ key: String, twice: Bool = false) -> [UInt8] {
            let id = #"<string name="identity">ABCDEFGH</string>"#
            return Array("<map>\(id)\(twice ? id : "")<string name=\"public_key\">\(key)</string></map>".utf8)
        }
        #expect(try AndroidAccount(settings: settings(Self.publicKey)).nickname == nil)
        #expect(throws: AndroidFileError.missing("identity")) {
            try AndroidAccount(settings: settings(Self.publicKey, twice: true))
        }
        for key in [
            "", "00", String(repeating: "0", count: 64), Self.publicKey + "00", Self.publicKey.dropLast() + "g",
        ] {
            #expect(throws: AndroidFileError.invalid("public_key")) { try AndroidAccount(settings: settings(key)) }
        }
        let long = [UInt8](repeating: 0x20, count: AndroidAccount.maxCount + 1)
        #expect(throws: AndroidFileError.wrongLength(long.count)) { try AndroidAccount(settings: long) }
    }

    @Test func `ten thousand changes of both files`() throws {
        let random = SeededRandom(seed: 37)
        let (file, xml) = (bytes(Self.file), Array(Self.xml.utf8))
        func changed(_ bytes: [UInt8]) -> [UInt8] {
            var changed = bytes
            for _ in 0...random.number(below: 3) {
                let at = random.number(below: changed.count)
                switch random.number(below: 3) {
                case 0: changed[at] = UInt8(random.number(below: 256))
                case 1: changed.remove(at: at)
                default: changed.insert(UInt8(random.number(below: 256)), at: at)
                }
            }
            return changed
        }
        var refused = 0
        for _ in 0..<10_000 {
            if let account = try? AndroidAccount(settings: changed(xml)) {
                // What is read is one of the two that the file still names, whole.
                #expect(account.id.text.utf8.count == 8 && account.publicKey.bytes.count == 32)
            } else {
                refused += 1
            }
            let other = changed(file)
            // Only bits that clamping drops may differ.
            if refusal(other) == nil {
                #expect(other.count == file.count && other[1..<16] == file[1..<16] && other[16...] == file[16...])
            }
        }
        #expect(refused > 1000)
    }
}
