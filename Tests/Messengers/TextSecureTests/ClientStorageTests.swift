import Foundation
import SecureMemory
import Testing
import VectorKit

@testable import TextSecure

@Suite struct ClientStorageTests {
    static let area = Vector.Area.textSecureFormats
    static let wraps = try! Vector.all(in: area, op: "storage-master-key-rncryptor3")
    static let values = try! Vector.all(in: area, op: "master-cipher")
    static let preferences = try! Vector.all(in: area, op: "storage-master-key-android")

    private func password(_ text: String) -> SecureBytes {
        let bytes = Array(text.utf8)
        return secure(bytes)
    }

    private func secret(_ vector: Vector) throws -> MasterSecret {
        guard let secret = MasterSecret(try secure(vector.inputs.bytes("master_key"))) else { throw Missing() }
        return secret
    }

    @Test(arguments: wraps) func `the iOS client's wrap`(_ vector: Vector) throws {
        let blob = try vector.expected.bytes("blob")
        let password = try password(vector.inputs.string("password"))
        let opened = try RNCryptorBlob.open(blob.span, password: password)
        #expect(try opened.held.bytes.copied == vector.inputs.bytes("master_key"))
        #expect(throws: ClientStorageError.wrongPasswordOrDamaged) {
            _ = try RNCryptorBlob.open(blob.span, password: self.password("hunter2"))
        }
        for index in stride(from: 0, to: blob.count, by: 9) {
            var changed = blob
            changed[index] ^= 0x10
            let error: ClientStorageError = index < 2 ? .unknownFormat : .wrongPasswordOrDamaged
            #expect(throws: error) { _ = try RNCryptorBlob.open(changed.span, password: password) }
        }
        for count in [0, 1, 66, 113] {
            #expect(throws: ClientStorageError.wrongLength(count)) {
                _ = try RNCryptorBlob.open(blob.span.extracting(0..<count), password: password)
            }
        }
    }

    /// Of PyPI's rncryptor 3.3.0.
    @Test func `a wrap of another implementation`() throws {
        let blob = try hex(
            "030150cc985af0ccef3ef0afa26e9ab7f3d7697ceeec33a93de4ab05d02d183962df129232ce237f"
                + "4e3282f6ed09e07024838e299b2765f405d5be59a967f9e15c2678d911cf74d8606f9b6afd8a16c1"
                + "eac2df2a301f42f4f74a5a52ea92dfb2a24dbac25adfbcfb27dbb4fb90e0d8ad5340")
        let opened = try RNCryptorBlob.open(blob.span, password: password("tr\u{e4} \u{1f511}"))
        #expect(opened.held.bytes.copied == Array(0..<36))
    }

    @Test(arguments: wraps) func `the iOS client's wrap as text`(_ vector: Vector) throws {
        let blob = try vector.expected.bytes("blob")
        let text = Data(blob).base64EncodedString(options: .lineLength64Characters)
        #expect(RNCryptorBlob.blob(text: text) == blob)
        #expect(RNCryptorBlob.blob(text: "_" + text) == nil)
        #expect(RNCryptorBlob.blob(text: String(repeating: "A", count: 4 * RNCryptorBlob.count + 4)) == nil)
        for (bytes, isLikely) in [(blob, true), ([], false), ([3], false), ([3, 2], false), ([2, 1], false)] {
            let found = RNCryptorBlob.isLikely(bytes.span)
            #expect(found == isLikely)
        }
    }

    @Test(arguments: values) func `values of the database`(_ vector: Vector) throws {
        let blob = try vector.expected.bytes("blob")
        let text = try vector.inputs.bytes("plaintext")
        let secret = try secret(vector)
        #expect(try secret.open(blob.span).copied == text)
        let lines = Data(blob).base64EncodedString(options: .lineLength64Characters)
        #expect(try secret.open(text: lines).copied == text)
        for index in blob.indices {
            var changed = blob
            changed[index] ^= 1
            #expect(throws: ClientStorageError.wrongKeyOrDamaged) { _ = try secret.open(changed.span) }
        }
        for count in [0, 19, 36, 51, blob.count - 1] {
            #expect(throws: ClientStorageError.wrongLength(count)) {
                _ = try secret.open(blob.span.extracting(0..<count))
            }
        }
        #expect(throws: ClientStorageError.malformed) { _ = try secret.open(text: "_") }
    }

    @Test(arguments: preferences) func `the Android client's wrap`(_ vector: Vector) throws {
        let file = try vector.expected.utf8("file")
        let read = try AndroidPreferences(parsing: file.span)
        let opened = try read.open(passphrase: password(vector.inputs.string("password")))
        #expect(try opened.held.bytes.copied == vector.inputs.bytes("master_key"))
        #expect(throws: ClientStorageError.wrongPasswordOrDamaged) {
            _ = try read.open(passphrase: password("wrong"))
        }
        #expect(throws: ClientStorageError.wrongPasswordOrDamaged) { _ = try read.open(passphrase: secure([0xff])) }
    }

    /// Of `openssl kdf PKCS12KDF`, 100 rounds, 20 bytes.
    @Test(arguments: [
        ("hunter2 hunter2", PKCS12KDF.Purpose.key, "9f867cad358525d38f578dc59c951fb2ca1eb1a9"),
        ("hunter2 hunter2", .iv, "a0feb4b7e16f21ca17103eed6ae878778c381c7c"),
        ("p\u{e4}ssw\u{f6}rd \u{1f511}", .key, "014ac8c15d9a43473ec2b0d096d9be59215f13e9"),
        ("p\u{e4}ssw\u{f6}rd \u{1f511}", .iv, "de9c8470cc781585cba8c39d93ba41fbd3b4a4f2"),
    ]) func `the derivation of PKCS 12`(_ text: String, _ purpose: PKCS12KDF.Purpose, _ wanted: String) throws {
        let salt = try hex("0a58cf64530d823f")
        guard let password = PKCS12KDF.bmpString(password(text)) else { throw Missing() }
        #expect(password.copied == text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] } + [0, 0])
        let derived = PKCS12KDF.derive(purpose, password: password, salt: salt, rounds: 100, count: 20)
        #expect(derived.copied.hex == wanted)
    }

    @Test func `preferences as other programs write them`() throws {
        let salt = "AAAAAAAAAAA"
        let sealed = String(repeating: "A", count: 91)
        func file(_ values: String) -> [UInt8] { Array("<map>\(values)</map>".utf8) }
        func error(_ file: [UInt8]) -> ClientStorageError? {
            do throws(ClientStorageError) {
                _ = try AndroidPreferences(parsing: file.span)
                return nil
            } catch {
                return error
            }
        }
        let first = #"<string name="encryption_salt">\#(salt)=&#10;</string>"#
        let rest = "<string name='mac_salt' >&#x41;\(salt.dropFirst())</string><set name='s'><string name='mac_salt'>"
        let last = #"x</string></set><int name="n" value="&lt;"/><string name="master_secret">\#(sealed)</string >"#
        #expect(error(file(first + rest + last)) == nil)
        #expect(error(file(first + rest + "</string></set>")) == .missing(name: "master_secret"))
        #expect(error(file(first + first)) == .malformed)
        #expect(error(file(first.replacing("AAAAAAAAAAA=", with: "AAAA"))) == .wrongLength(3))
        #expect(error(file(first.replacing("AAAAAAAAAAA=", with: "%"))) == .malformed)
        let wrong = [
            "", "<map>", "<map", "<map></mop>", "<map/>x", "<list/>", "</map>", "<map><!-- --></map>",
            "<!DOCTYPE map><map/>", "<map>&unknown;</map>", "<map>&#0;</map>", "<map>&#xd800;</map>", "<map>&</map>",
            "<map>&#;</map>", "<map a=b/>", "<map a='<'/>", "<?xml", "<map><string><b/></string></map>",
            "<map>" + String(repeating: "<a>", count: 100_000),
            "<map>" + String(repeating: "<a/>", count: 10_001) + "</map>",
            "<map " + String(repeating: "a='' ", count: 20) + "/>",
        ]
        for text in wrong { #expect(error(Array(text.utf8)) == .malformed, "\(text.prefix(40))") }
        #expect(error(Array("<map/>".utf8)) == .missing(name: "encryption_salt"))
        #expect(error(Array("<map>".utf8) + [0xff] + Array("</map>".utf8)) == .malformed)
        let limit = AndroidPreferences.maxFileCount
        #expect(error([UInt8](repeating: 0x20, count: limit + 1)) == .tooLong(limit: limit))
    }
}
