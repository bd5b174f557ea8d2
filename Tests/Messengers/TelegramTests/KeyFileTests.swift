import Foundation
import Primitives
import SecureMemory
import Testing
import VectorKit

@testable import Telegram

/// Authorization keys in files, in all old forms.
@Suite struct KeyFileTests {
    static let keyBytes = Random.bytes(256)
    static let password = "correct horse battery staple"

    private static func plain(padding: [UInt8]? = nil) throws -> [UInt8] {
        LegacyKeyFile.hashed(try authorizationKey(keyBytes)).copied + (padding ?? Random.bytes(12))
    }

    /// A file in each form, made of what the form says and not by this room.
    static func file(_ form: LegacyKeyFile.Form, password: String = password) throws -> [UInt8] {
        let (iv, salt) = (Random.bytes(16), Random.bytes(16))
        let text = Array(password.utf8)
        let padded = text + [UInt8](repeating: 0, count: 32)
        let literal = secure(Array(padded.prefix(32)))
        func encrypt(_ key: borrowing SecureBytes, _ iv: [UInt8]) throws -> [UInt8] {
            let plain = try plain()
            return Legacy.AESCBC.encrypt(plain.span, key: key, iv: iv)
        }
        let salted = text + iv[..<8]
        let first = Legacy.MD5.hash(salted.span)
        let again = first + salted
        let openSSL = secure(first + Legacy.MD5.hash(again.span))
        switch form {
        case .raw: return keyBytes
        case .hashed: return Array(try plain().prefix(276))
        case .literal: return try encrypt(literal, [UInt8](repeating: 0, count: 16))
        case .literalWithIV: return iv + (try encrypt(literal, iv))
        case .openSSL: return iv + (try encrypt(openSSL, iv))
        case .pem: return pem(iv, try encrypt(openSSL, iv))
        case .scrypt:
            let key = try Scrypt.deriveKey(
                password: text.span, salt: salt.span, cost: 32_768, blockSize: 8, parallelism: 1, count: 32)
            return salt + iv + (try encrypt(key, iv))
        }
    }

    static func pem(_ iv: [UInt8], _ sealed: [UInt8], label: String = "TELEGRAM AUTH KEY", newline: String = "\n")
        -> [UInt8]
    {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: sealed.count, by: 3) {
            let group = sealed[start..<start + 3].reduce(0) { $0 << 8 | Int($1) }
            for shift in [18, 12, 6, 0] { text.append(alphabet[group >> shift & 63]) }
            if start % 48 == 45 { text += newline }
        }
        let lines = [
            "-----BEGIN \(label)-----", "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-256-CBC,\(iv.hex.uppercased())", "",
        ]
        return Array((lines.joined(separator: newline) + newline + text + "-----END \(label)-----" + newline).utf8)
    }

    @Test(arguments: LegacyKeyFile.Form.allCases) func `each form is opened and told`(_ form: LegacyKeyFile.Form) throws
    {
        let file = try Self.file(form)
        #expect(try LegacyKeyFile.candidates(of: file.span).contains(form))
        let opened = try LegacyKeyFile.open(file.span, password: secure(Self.password))
        #expect(opened.form == form && opened.held.key.bytes.copied == Self.keyBytes)
        guard form.isProtected else { return }
        #expect(throws: LegacyKeyFileError.needsPassword) { try LegacyKeyFile.open(file.span) }
        for other in ["", "correct horse battery stapl", Self.password + "\n"] {
            refuses(.wrongPassword, file, other)
        }
    }

    @Test func `unprotected files need no password, and a wrong hash is damage`() throws {
        let file = try Self.file(.raw)
        let raw = try LegacyKeyFile.open(file.span)
        #expect(raw.form == .raw && raw.held.key.bytes.copied == Self.keyBytes)
        let hashed = try Self.file(.hashed)
        #expect(try LegacyKeyFile.open(hashed.span).form == .hashed)
        for index in hashed.indices {
            var changed = hashed
            changed[index] ^= 1
            refuses(.damaged, changed, "")
        }
    }

    @Test func `the literal reading takes the first 32 bytes of a password`() throws {
        let long = String(repeating: "ä", count: 20)
        let file = try Self.file(.literal, password: long)
        #expect(try LegacyKeyFile.open(file.span, password: secure(long)).form == .literal)
        #expect(try LegacyKeyFile.open(file.span, password: secure(long + "more")).form == .literal)
        #expect(LegacyKeyFile.literalKey(secure("ab")).copied == [0x61, 0x62] + [UInt8](repeating: 0, count: 30))
    }

    @Test func `the padding may be anything`() throws {
        let zeros = [UInt8](repeating: 0, count: 16)
        for padding in [[UInt8](repeating: 12, count: 12), Random.bytes(12)] {
            let key = LegacyKeyFile.literalKey(secure(Self.password))
            let plain = try Self.plain(padding: padding)
            let file = Legacy.AESCBC.encrypt(plain.span, key: key, iv: zeros)
            #expect(try LegacyKeyFile.open(file.span, password: secure(Self.password)).form == .literal)
        }
    }

    @Test func `every changed byte of a protected file is refused, but those of the padding`() throws {
        let file = try Self.file(.openSSL)
        for index in file.indices {
            var changed = file
            changed[index] ^= 0x80
            if index < file.count - 16 {
                refuses(.wrongPassword, changed, Self.password)
            }
        }
    }

    @Test func `lengths and beginnings choose the form`() throws {
        let forms: [Int: [LegacyKeyFile.Form]] = [
            256: [.raw], 276: [.hashed], 288: [.literal], 304: [.literalWithIV, .openSSL], 320: [.scrypt],
        ]
        for count in 0...400 {
            let file = [UInt8](repeating: 1, count: count)
            if let expected = forms[count] {
                #expect(try LegacyKeyFile.candidates(of: file.span) == expected)
            } else {
                #expect(throws: LegacyKeyFileError.unknownForm(count: count)) {
                    try LegacyKeyFile.candidates(of: file.span)
                }
            }
        }
        let long = [UInt8](repeating: 1, count: 4097)
        #expect(throws: LegacyKeyFileError.tooLong(limit: 4096)) { try LegacyKeyFile.candidates(of: long.span) }
        for age in ["age-encryption.org/v1\n-> scrypt", "-----BEGIN AGE ENCRYPTED FILE-----\n"] {
            // Also if it has the length of another form, or is long.
            for count in [40, 288, 5000] {
                let file = Array((age + String(repeating: "x", count: count)).utf8.prefix(count))
                #expect(throws: LegacyKeyFileError.age) { try LegacyKeyFile.candidates(of: file.span) }
            }
        }
    }

    @Test func `PEM text has other newlines and labels`() throws {
        let (iv, plain) = (Random.bytes(16), try Self.plain())
        let key = LegacyKeyFile.openSSLKey(secure(Self.password), iv: iv)
        let sealed = Legacy.AESCBC.encrypt(plain.span, key: key, iv: iv)
        for (label, newline) in [("RSA PRIVATE KEY", "\r\n"), ("A", "\n")] {
            let file = Self.pem(iv, sealed, label: label, newline: newline)
            #expect(try LegacyKeyFile.open(file.span, password: secure(Self.password)).form == .pem)
        }
    }

    /// A key that is not encrypted is refused by its bytes, before it is text.
    @Test func `PEM text is marked as encrypted in its second line`() {
        let mark = "Proc-Type: 4,ENCRYPTED"
        for (text, isMarked) in [
            ("-----BEGIN A-----\n\(mark)\n", true), ("-----BEGIN A-----\r\n\(mark)\r\n", true),
            ("-----BEGIN A-----\n\(mark)", true), ("-----BEGIN A-----\n\(mark.dropLast())", false),
            ("-----BEGIN A-----\nAAAA\n\(mark)\n", false), ("-----BEGIN A-----\(mark)\n", false),
            ("-----BEGIN A-----\n", false), ("-----BEGIN A-----", false), ("", false),
        ] {
            #expect(PEMText.isMarkedEncrypted(Array(text.utf8).span) == isMarked, "\(text)")
        }
    }

    @Test func `malformed PEM text is refused`() throws {
        let text = String(decoding: try Self.file(.pem), as: UTF8.self)
        let changes = [
            ("AES-256-CBC", "AES-128-CBC"), ("DEK-Info: AES-256-CBC,", "DEK-Info: AES-256-CBC,00"),
            ("DEK-Info", "Dek-Info"), ("Proc-Type: 4,ENCRYPTED\n", ""),
            ("4,ENCRYPTED", "4,ENCRYPTED "), ("-----END TELEGRAM", "-----END SIGNAL"),
            ("\n\n", "\n"), ("-----END TELEGRAM AUTH KEY-----\n", ""), ("\n\n", "\n\nAAAA"), ("\n\n", "\n\n "),
        ]
        for (from, to) in changes {
            let range = try #require(text.range(of: from))
            refuses(.malformedPEM, Array(text.replacingCharacters(in: range, with: to).utf8), Self.password)
        }
    }

    private func refuses(_ expected: LegacyKeyFileError, _ file: [UInt8], _ password: String) {
        do throws(LegacyKeyFileError) {
            let opened = try LegacyKeyFile.open(file.span, password: secure(password))
            Issue.record("opened as \(opened.form)")
        } catch {
            #expect(error == expected)
        }
    }
}
