internal import Encodings
internal import SecureMemory

/// SHA-256 of a server's public key (SubjectPublicKeyInfo in DER).
public struct PublicKeyPin: Equatable, Sendable {
    /// Length in bytes.
    public static let count = 32

    /// The 32 bytes.
    public let digest: [UInt8]

    private static let prefix = "sha256//"

    /// - Parameter digest: 32 bytes; nil for another length.
    public init?(digest: [UInt8]) {
        guard digest.count == Self.count else { return nil }
        self.digest = digest
    }

    /// - Parameter text: `sha256//` and Base64, as in curl.
    /// - Returns: nil for any other text.
    public init?(text: String) {
        let base64 = Array(text.utf8.dropFirst(Self.prefix.utf8.count))
        guard text.hasPrefix(Self.prefix), let bytes = Base64.decode(base64.span) else { return nil }
        self.init(digest: bytes.revealBytes())
    }

    /// `sha256//` and Base64.
    public var text: String { Self.prefix + Base64.encode(digest.span) }
}
