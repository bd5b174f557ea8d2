internal import Encodings
internal import Primitives
internal import SecureMemory

// The header of a file (C2SP age, "Header"). Lines end in a line feed.
//
//   age-encryption.org/v1⏎
//   stanzas, one or more
//   --- BASE64 of 32 bytes⏎     HMAC-SHA-256 over the header from its first byte to `---`
//
// The key of the HMAC is HKDF-SHA-256 of the file key, with an empty salt and the info `header`.

/// The header of a file, parsed and not yet authenticated.
struct AgeHeader {
    static let version = "age-encryption.org/v1"
    static let endIntro = "---"
    static let codeCount = 32

    let stanzas: [Stanza]
    /// The bytes that the authentication code covers, as they were received or as they will be written.
    let covered: [UInt8]
    /// 32 bytes.
    let code: [UInt8]

    init(stanzas: [Stanza], covered: [UInt8], code: [UInt8]) {
        self.stanzas = stanzas
        self.covered = covered
        self.code = code
    }

    /// A new header, authenticated with the file key.
    init(_ stanzas: [Stanza], _ fileKey: borrowing AgeFileKey) {
        self.stanzas = stanzas
        covered = Array((Self.version + "\n").utf8) + stanzas.flatMap(\.encoded) + Array(Self.endIntro.utf8)
        code = Self.code(covered, fileKey)
    }

    /// All lines.
    var encoded: [UInt8] { covered + Array(" \(Base64.encodeUnpadded(code.span))\n".utf8) }

    /// - Throws: `.headerChanged` if the code is not that of the received bytes under this key.
    func authenticate(with fileKey: borrowing AgeFileKey) throws(AgeError) {
        let expected = Self.code(covered, fileKey)
        guard ConstantTime.areEqual(code.span, expected.span) else { throw .headerChanged }
    }

    private static func code(_ covered: [UInt8], _ fileKey: borrowing AgeFileKey) -> [UInt8] {
        fileKey.deriveKey(salt: [], info: "header").withBytes { HMACSHA256.authenticate(covered.span, key: $0) }
    }
}
