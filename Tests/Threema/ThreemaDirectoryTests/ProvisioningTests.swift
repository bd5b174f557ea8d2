import Encodings
import Foundation
import HTTP
import Primitives
import SecureMemory
import Testing
import Threema
import VectorKit

@testable import ThreemaDirectory

/// Files that a company's administrator has signed.
@Suite struct ProvisioningTests {
    private static let seed = Array<UInt8>(0..<32)
    private static let key = Ed25519.publicKey(of: seed.span)
    /// A published example, signed with the seed 00 01 … 1f.
    private static let text = """
        {"version":"1.0","signatureKey":"A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=","refresh":86400,\
        "license":{"id":"TEST-1","expires":"2099-12-31","count":1},"chat":{"hostname":"chat.example.org",\
        "ports":[5222,443],"publicKey":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="},\
        "directory":{"url":"https://d.example.org/directory"},"blob":{"uploadUrl":"https://b.example.org/upload",\
        "downloadUrl":"https://b.example.org/{blobId}","doneUrl":"https://b.example.org/{blobId}/done"},\
        "work":{"url":"https://w.example.org/"},"avatar":{"url":"https://a.example.org/"},\
        "safe":{"url":"https://safe.example.org/"}}
        """
    private static let signature =
        "DT1uFDJuIxDdLQCqSeQofht1CgOqsUyMVLDQZsQI0FR8CmO7Q2bEzSJ/3yBzhx7a163vHpF9xQ1vhg8gEEVfAw=="

    private func read(_ file: String, _ key: [UInt8] = key) throws -> ProvisioningFile {
        try ProvisioningFile(Array(file.utf8).span, signedBy: key)
    }

    private func signed(_ text: String) -> String {
        let signature = Ed25519.sign(Array(text.utf8).span, seed: Self.seed.span)
        return text + "\n" + Data(signature).base64EncodedString()
    }

    private func changed(_ part: String, _ other: String) throws -> ProvisioningFile {
        #expect(Self.text.contains(part))
        return try read(signed(Self.text.replacing(part, with: other)))
    }

    @Test func `the published example`() throws {
        let text = Self.text + "\n" + Self.signature
        let digest = SHA256.hash(Array(text.utf8).span).hex
        #expect(digest == "eca16b71a32888375d4ae63c3c9e8611d4649431112c5f37def3cc7ec665b220")
        let file = try read(text)
        #expect(file.license.id == "TEST-1" && file.license.count == 1 && file.refresh == .seconds(86_400))
        #expect(file.license.end.rfc3339 == "2100-01-01T00:00:00Z")
        #expect(file.chat.host == "chat.example.org" && file.chat.ports == [5222, 443])
        #expect(file.chat.publicKey == Array(0..<32))
        #expect(try file.directory() == DirectoryServer(url: "https://d.example.org/directory"))
        #expect(file.servers.download == "https://b.example.org/{blobId}" && file.unknownMembers == [])
        #expect(file.servers.safe == "https://safe.example.org/" && file.pinRules.pins(of: "d.example.org") == nil)
    }

    @Test func `what is not signed as it stands counts for nothing`() throws {
        let text = Self.text
        let other = Ed25519.publicKey(of: [UInt8](repeating: 9, count: 32).span)
        #expect(throws: ProvisioningError.badSignature) { try read(text + "\n" + Self.signature, other) }
        let moved = text.replacing("d.example", with: "e.example")
        #expect(throws: ProvisioningError.badSignature) { try read(moved + "\n" + Self.signature) }
        // As some readers would take them.
        #expect(throws: ProvisioningError.badSignature) { try read(text + "\n\n" + Self.signature) }
        for end in ["\n", "\r\n", " "] {
            #expect(throws: ProvisioningError.noSignature) { try read(text + "\n" + Self.signature + end) }
        }
        for file in ["", "\n", Self.signature, text, text + Self.signature] {
            #expect(throws: ProvisioningError.noSignature) { try read(file) }
        }
        let long = String(repeating: " ", count: ProvisioningFile.maxCount)
        #expect(throws: ProvisioningError.tooLong) { try read(signed(text + long)) }
        // With the line feed in what is signed.
        let signature = Ed25519.sign(Array((text + "\n").utf8).span, seed: Self.seed.span)
        let base64 = Data(signature).base64EncodedString()
        #expect(throws: ProvisioningError.badSignature) { try read(text + "\n" + base64) }
        #expect(try read(text + "\n\n" + base64).license.id == "TEST-1")
    }

    @Test func `a good signature is not enough`() throws {
        #expect(throws: ProvisioningError.otherKey) {
            try changed(
                #""A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=""#, #""\#(Data(count: 32).base64EncodedString())""#)
        }
        #expect(throws: ProvisioningError.unknownVersion) { try changed(#""1.0""#, #""2.0""#) }
        #expect(throws: ProvisioningError.malformed(.duplicateName(offset: 17))) {
            try changed(#""signatureKey":"#, #""version":"1.0","signatureKey":"#)
        }
        let wrong: [(String, String, String)] = [
            (#""refresh":86400,"#, "", "refresh"), ("86400", "-1", "refresh"), ("86400", "1e9", "refresh"),
            ("2099-12-31", "2099-02-30", "license.expires"), ("2099-12-31", "20991231", "license.expires"),
            ("[5222,443]", "[5222,0]", "chat.ports"), ("[5222,443]", "[]", "chat.ports"),
            ("[5222,443]", "[70000]", "chat.ports"), ("GxwdHh8=", "GxwdHg==", "chat.publicKey"),
            ("chat.example.org", "", "chat.hostname"),
            (#""work":"#, #""domains":{"rules":[{"fqdn":1}]},"work":"#, "domains.rules.fqdn"),
            (
                #""work":"#, #""domains":{"rules":[{"fqdn":"a","matchMode":"exact","spkis":[{}]}]},"work":"#,
                "domains.rules.spkis.algorithm"
            ),
            ("https://d.example", "http://d.example", "directory.url"),
            ("https://d.example", "https://u@d.example", "directory.url"),
            ("https://safe.example.org/", "https:///", "safe.url"), (#""safe":{"#, #""save":{"#, "safe"),
            ("https://b.example.org/upload", "https://b.example.org/?x", "blob.uploadUrl"),
        ]
        for (part, other, path) in wrong {
            #expect(throws: ProvisioningError.member(path)) { try changed(part, other) }
        }
        #expect(try changed("86400", "60").refresh == .seconds(1800))
        #expect(try changed(#""work":"#, #""extra":1,"work":"#).unknownMembers == ["extra"])
    }

    private func pin(_ byte: UInt8) -> PublicKeyPin { PublicKeyPin(digest: [UInt8](repeating: byte, count: 32))! }
    private func spkis(_ bytes: UInt8...) -> String {
        "["
            + bytes.map {
                #"{"algorithm":"sha256","value":"\#(Data(repeating: $0, count: 32).base64EncodedString())"}"#
            }
            .joined(separator: ",") + "]"
    }

    @Test func `pins of a host`() throws {
        let file = try changed(
            #""work":"#,
            """
            "domains":{"rules":[{"fqdn":"D.example.org","matchMode":"exact","spkis":\(spkis(1, 2))},\
            {"fqdn":"example.org","matchMode":"include-subdomains","spkis":\(spkis(2, 3))},\
            {"fqdn":"b.example.org","matchMode":"exact","spkis":[]},{"fqdn":"safe.example.org","matchMode":"exact"},\
            {"fqdn":"d.example.org","matchMode":"other","spkis":\(spkis(9))}]},\
            "publicKeyPinning":[{"domain":"*.example.org","spkis":\(spkis(2, 4))},\
            {"domain":"d.example.org","spkis":\(spkis(8))},{"domain":"x.*.test","spkis":\(spkis(5))}],"work":
            """)
        #expect(file.pinRules.pins(of: "d.EXAMPLE.org") == [pin(2)])
        #expect(file.pinRules.pins(of: "d.example.org.") == [pin(2)])
        #expect(try file.directory().pins == [pin(2)])
        #expect(file.pinRules.pins(of: "b.example.org") == [])
        #expect(throws: ProvisioningError.noKeyIsAccepted("https://b.example.org/upload")) {
            try file.pins(of: file.servers.upload)
        }
        #expect(file.pinRules.pins(of: "safe.example.org") == [pin(2)])
        #expect(file.pinRules.pins(of: "example.org") == [pin(2), pin(3)])
        #expect(file.pinRules.pins(of: "anexample.org") == nil)
        // A star stands for no dot.
        #expect(file.pinRules.pins(of: "x.y.example.org") == [pin(2), pin(3)])
        #expect(file.pinRules.pins(of: "x.y.test") == [pin(5)] && file.pinRules.pins(of: "x.y.z.test") == nil)
        #expect(file.pinRules.pins(of: "x.test") == nil)
        #expect(try file.pins(of: "https://elsewhere.test/") == [])
        let none = try changed(#""work":"#, #""domains":{"rules":[]},"work":"#)
        #expect(none.pinRules.pins(of: "d.example.org") == nil)
    }

    /// OpenSSL signs, too.
    @Test func `what OpenSSL has signed`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "oppf-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        func openssl(_ arguments: String...) throws -> Data {
            try Program.output(of: "/usr/bin/openssl", arguments)
        }
        let path = { (name: String) in directory.appending(path: name).path() }
        _ = try openssl("genpkey", "-algorithm", "ed25519", "-out", path("key"))
        // The last 32 bytes of the key in DER.
        let key = Array(try openssl("pkey", "-in", path("key"), "-pubout", "-outform", "DER").suffix(32))
        let text = Self.text.replacing(
            "A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=", with: Data(key).base64EncodedString())
        try Data(text.utf8).write(to: directory.appending(path: "text"))
        let signature = try openssl("pkeyutl", "-sign", "-inkey", path("key"), "-rawin", "-in", path("text"))
        #expect(try read(text + "\n" + signature.base64EncodedString(), key).license.id == "TEST-1")
    }

    @Test func `ten thousand changed files, signed again or not`() throws {
        var random = SeededRandom(seed: 41)
        let whole = Array((Self.text + "\n" + Self.signature).utf8)
        let text = Array(Self.text.utf8)
        for _ in 0..<5000 {
            let changed = random.changed(whole)
            #expect(throws: ProvisioningError.self) { try ProvisioningFile(changed.span, signedBy: Self.key) }
            // What the right key has signed may be anything.
            let other = random.changed(text)
            let signature = Data(Ed25519.sign(other.span, seed: Self.seed.span)).base64EncodedString()
            let file = other + Array(("\n" + signature).utf8)
            if let read = try? ProvisioningFile(file.span, signedBy: Self.key) {
                #expect(read.refresh >= .seconds(1800) && !read.chat.ports.isEmpty)
            }
        }
    }
}
