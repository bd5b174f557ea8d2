internal import Encodings
internal import Primitives
internal import SecureMemory
public import Threema

// What the directory asks of an identity before it carries out a request (whitepaper, "Directory Access Protocol"):
//
//   response = BLAKE2b-256(key: response key, token)
//   response key = BLAKE2b-256(key: shared key, salt: "dir" (Work: "wdir"), personal: "3ma-csp")
//   shared key = HSalsa20(X25519(client key, challenge's public key), zeros)
//
// The directory computes the same from the challenge's secret key and the identity's public key.

/// What a directory sends to learn whether somebody holds a client key.
public struct Challenge: Equatable, Sendable {
    /// Which directory asks: the fields' names and the salt differ.
    public enum Kind: String, Sendable {
        /// `token` and `tokenRespKeyPub`.
        case consumer = "dir"
        /// `challenge` and `challengePublicKey`.
        case work = "wdir"
    }

    /// Longest token that is taken, in bytes.
    public static let maxTokenBytes = 4096

    /// Which directory asks, which decides about the names of fields and the key.
    public let kind: Kind
    /// Any bytes that the directory has drawn, at most `maxTokenBytes`.
    public let token: [UInt8]
    /// Of a key pair that the directory made for this.
    public let publicKey: PublicKey

    /// A challenge that was received.
    public init(kind: Kind = .consumer, token: [UInt8], publicKey: PublicKey) {
        self.kind = kind
        self.token = token
        self.publicKey = publicKey
    }

    /// - Throws: `.malformed` if a field is missing, no Base64, or of another length.
    init(_ fields: ReplyFields) throws(DirectoryError) {
        let key = try fields.base64("tokenRespKeyPub")
        guard let publicKey = PublicKey(key) else { throw .malformed(field: "tokenRespKeyPub") }
        let token = try fields.base64("token")
        guard !token.isEmpty, token.count <= Self.maxTokenBytes else { throw .malformed(field: "token") }
        self.init(token: token, publicKey: publicKey)
    }

    /// What proves that the client key is held here.
    /// - Returns: 32 bytes. They are worth nothing for another token.
    /// - Throws: `.malformed` for a public key of small order, with which any private key gives the same response.
    public func response(of key: borrowing ClientKey) throws(DirectoryError) -> [UInt8] {
        let shared = key.bytes.withBytes { key in
            try? Box.sharedKey(privateKey: key, publicKey: publicKey.bytes.span)
        }
        guard let shared else { throw .malformed(field: "tokenRespKeyPub") }
        let responseKey = BLAKE2b.deriveKey(from: shared, salt: kind.rawValue, personal: "3ma-csp")
        return BLAKE2b.authenticate(token.span, key: responseKey)
    }
}

extension ReplyFields {
    /// Bytes that are no secret.
    func base64(_ name: String) throws(DirectoryError) -> [UInt8] {
        let text = Array(try text(name).utf8)
        guard let bytes = Base64.decode(text.span) else { throw .malformed(field: name) }
        return bytes.revealBytes()
    }
}
