public import Primitives
public import SecureMemory
internal import ThreemaMessages

// The nonce of a box:
//
//   offset  length  meaning
//        0      16  cookie of the side that seals
//       16       8  sequence number of that side, little-endian, from 1
//
// Both directions have one key. Their nonces differ because the cookies do, which the client checks.

/// The nonces of one side of a connection, each used once.
struct ChatNonces: Sendable {
    let cookie: ChatCookie
    /// That of the next box, 24 bytes.
    private(set) var next: [UInt8]

    /// - Parameter sequence: of the next box.
    init(_ cookie: ChatCookie, sequence: UInt64 = 1) {
        self.cookie = cookie
        next = cookie.bytes
        next.append(littleEndian: sequence, width: 8)
    }

    /// The next nonce is used.
    mutating func advance() {
        for place in cookie.bytes.count..<next.count {
            next[place] &+= 1
            guard next[place] == 0 else { return }
        }
        preconditionFailure("each nonce was used")
    }
}

/// The boxes of a connection in both directions, for the halves that own it. A copy would use nonces twice: see
/// `ChatCipher` for all others.
struct ChatBoxes: Sendable {
    private let key: EnclosedKey
    private var sending: ChatNonces
    private var receiving: ChatNonces

    init(key: consuming SecureBytes, own: ChatNonces, other: ChatNonces) {
        precondition(own.cookie != other.cookie)
        self.key = EnclosedKey(key)
        sending = own
        receiving = other
    }

    mutating func seal(_ plaintext: Span<UInt8>) -> [UInt8] {
        defer { sending.advance() }
        return Box.seal(plaintext, nonce: sending.next, sharedKey: key.bytes)
    }

    /// Seals where the plaintext stands.
    /// - Parameters:
    ///   - bytes: prefix ‖ 16 bytes of any value ‖ plaintext. They become prefix ‖ tag ‖ ciphertext.
    ///   - start: length of the prefix in bytes.
    mutating func seal(_ bytes: inout [UInt8], from start: Int) {
        defer { sending.advance() }
        Box.seal(&bytes, from: start, nonce: sending.next, sharedKey: key.bytes)
    }

    /// Opens where the box stands.
    /// - Parameter bytes: have the plaintext behind the tag's 16 bytes then.
    mutating func open(_ bytes: inout [UInt8], at box: Range<Int>) throws(AuthenticationError) {
        defer { receiving.advance() }
        try Box.open(&bytes, at: box, nonce: receiving.next, sharedKey: key.bytes)
    }

    mutating func open(_ box: Span<UInt8>) throws(AuthenticationError) -> [UInt8] {
        defer { receiving.advance() }
        return try Box.openPublic(box, nonce: receiving.next, sharedKey: key.bytes)
    }
}

/// The boxes of a connection in both directions, under the session key SS(TCK, TSK). The halves have their own: this is
/// for programs that make or examine single frames.
public struct ChatCipher: ~Copyable, Sendable {
    var boxes: ChatBoxes

    /// - Parameters:
    ///   - key: 32 bytes, see ``ChatSecrets/shared(_:_:)``.
    ///   - own: the cookie of this side, and the sequence number of its next box.
    ///   - other: the cookie of the other side, and the sequence number of its next box.
    public init(
        key: consuming SecureBytes, own: (cookie: ChatCookie, sequence: UInt64),
        other: (cookie: ChatCookie, sequence: UInt64)
    ) {
        boxes = ChatBoxes(
            key: key, own: ChatNonces(own.cookie, sequence: own.sequence),
            other: ChatNonces(other.cookie, sequence: other.sequence))
    }

    /// Encrypts the next box of this side.
    /// - Returns: tag ‖ ciphertext, 16 bytes longer than `plaintext`.
    public mutating func seal(_ plaintext: Span<UInt8>) -> [UInt8] { boxes.seal(plaintext) }

    /// Decrypts the next box of the other side, into ordinary memory.
    /// - Throws: `.notAuthentic` also for a box that was left out, repeated or moved. The connection is then over.
    public mutating func open(_ box: Span<UInt8>) throws(AuthenticationError) -> [UInt8] { try boxes.open(box) }
}
