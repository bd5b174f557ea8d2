internal import Encodings
internal import Primitives
internal import SecureMemory

// PEM as OpenSSL protects keys (RFC 1421, section 4.6), with any label:
//
//     -----BEGIN TELEGRAM AUTH KEY-----
//     Proc-Type: 4,ENCRYPTED
//     DEK-Info: AES-256-CBC,<32 hexadecimal digits>
//
//     Base64 in lines
//     -----END TELEGRAM AUTH KEY-----

/// A key file as text. Nothing in it is secret: the key is encrypted.
struct PEMText {
    static let beginning = "-----BEGIN "
    private static let end = "-----END "
    private static let dashes = "-----"
    /// The first header (RFC 1421, section 4.6.1.1).
    private static let mark = "Proc-Type: 4,ENCRYPTED"
    private static let cipher = "DEK-Info: AES-256-CBC,"

    /// 16 bytes.
    let iv: [UInt8]
    /// 288 bytes.
    let sealed: [UInt8]

    /// - Parameter file: at most `LegacyKeyFile.maxCount` bytes.
    /// - Throws: `.malformedPEM`.
    init(_ file: Span<UInt8>) throws(LegacyKeyFileError) {
        // A key that is not encrypted must not become a string.
        guard Self.isMarkedEncrypted(file) else { throw .malformedPEM }
        var lines = file.revealText().split(omittingEmptySubsequences: false) { $0.isNewline }.map(String.init)
        while lines.last == "" { lines.removeLast() }
        guard let first = lines.first, let last = lines.last, lines.count > 2,
            let label = Self.label(first, Self.beginning), label == Self.label(last, Self.end),
            let blank = lines.firstIndex(of: "")
        else { throw .malformedPEM }
        let headers = lines[1..<blank]
        guard headers.first == Self.mark,
            let cipher = headers.first(where: { $0.hasPrefix(Self.cipher) }),
            let iv = Hex.decode(String(cipher.dropFirst(Self.cipher.count))), iv.count == Legacy.AESCBC.ivCount
        else { throw .malformedPEM }
        let text = Array(lines[(blank + 1)..<(lines.count - 1)].joined().utf8)
        guard text.count == Base64.encodedCount(LegacyKeyFile.sealedCount), let sealed = Base64.decode(text.span),
            sealed.count == LegacyKeyFile.sealedCount
        else { throw .malformedPEM }
        self.iv = iv
        self.sealed = sealed.revealBytes()
    }

    /// Whether the second line begins as that of an encrypted key.
    static func isMarkedEncrypted(_ file: Span<UInt8>) -> Bool {
        var start = 0
        while start < file.count, file[start] != UInt8(ascii: "\n") { start += 1 }
        let mark = Array(mark.utf8)
        guard file.count - start > mark.count else { return false }
        return mark.indices.allSatisfy { file[start + 1 + $0] == mark[$0] }
    }

    private static func label(_ line: String, _ start: String) -> Substring? {
        guard line.hasPrefix(start), line.hasSuffix(dashes), line.utf8.count > start.utf8.count + dashes.utf8.count
        else { return nil }
        return line.dropFirst(start.count).dropLast(dashes.count)
    }
}
