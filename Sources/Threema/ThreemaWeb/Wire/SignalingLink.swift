internal import Primitives
internal import SecureMemory
public import ThreemaMessages

/// The cookies and sequence numbers between this client and one other side, and the messages that they count.
struct SignalingLink: Sendable {
    /// Shortest message: a nonce and a byte.
    static let minCount = SignalingNonce.count + 1
    /// Longest message of a handshake, in bytes.
    static let maxHandshakeCount = SignalingNonce.count + Box.tagCount + MessagePackLimits.handshake.bytes
    /// Longest message after it, in bytes.
    static let maxTaskCount = SignalingNonce.count + Box.tagCount + MessagePackLimits.task.bytes

    /// This client's; 0 until the server has given one.
    var own: SignalingAddress
    let other: SignalingAddress
    private var sending: SendingNonces
    private var receiving = ReceivingNonces()

    init(own: SignalingAddress, other: SignalingAddress, _ randomness: SignalingRandomness) {
        self.own = own
        self.other = other
        sending = SendingNonces(cookie: randomness.cookie(), sequence: randomness.sequence())
    }

    /// For tests of the last numbers.
    init(own: SignalingAddress, other: SignalingAddress, _ sending: SendingNonces, _ receiving: ReceivingNonces) {
        self.own = own
        self.other = other
        self.sending = sending
        self.receiving = receiving
    }

    /// This client's.
    var cookie: SignalingCookie { sending.cookie }
    /// The other side's; nil before its first message.
    var otherCookie: SignalingCookie? { receiving.cookie }
    /// The number that the other side's next message has; nil before its first one.
    var otherSequence: UInt64? { receiving.sequence }

    /// The nonce of a message.
    /// - Throws: `.tooShort`.
    static func nonce(of message: Span<UInt8>) throws(SignalingError) -> SignalingNonce {
        guard message.count >= minCount else { throw .tooShort(minimum: minCount, actual: message.count) }
        return SignalingNonce(message)
    }

    /// - Throws: `.tooLong`.
    static func checkCount(of message: Span<UInt8>, limit: Int) throws(SignalingError) {
        guard message.count <= limit else { throw .tooLong(limit: limit, actual: message.count) }
    }

    /// A message that everybody can read.
    mutating func clear(_ plaintext: [UInt8]) throws(SignalingError) -> [UInt8] {
        try sending.next(own, other).bytes + plaintext
    }

    /// A message in a box or secretbox.
    /// - Parameter key: 32 bytes: a shared key or a token.
    mutating func seal(_ plaintext: [UInt8], key: borrowing SecureBytes) throws(SignalingError) -> [UInt8] {
        let nonce = try sending.next(own, other).bytes
        return key.withBytes { SecretBox.sealWithNonce(plaintext.span, nonce: nonce, key: $0) }
    }

    /// Takes a message that everybody can read.
    mutating func read(_ message: Span<UInt8>, _ nonce: SignalingNonce) throws(SignalingError) -> [UInt8] {
        try receiving.take(nonce, own: cookie)
        return message.publicBytes(SignalingNonce.count..<message.count)
    }

    /// Opens a message. One that is refused changes nothing here.
    mutating func open(
        _ message: Span<UInt8>, _ nonce: SignalingNonce, key: borrowing SecureBytes, _ step: SignalingError.Step
    ) throws(SignalingError) -> [UInt8] {
        var next = receiving
        try next.take(nonce, own: cookie)
        let box = message.extracting(SignalingNonce.count..<message.count)
        do throws(AuthenticationError) {
            let plaintext = try Box.openPublic(box, nonce: nonce.bytes, sharedKey: key)
            receiving = next
            return plaintext
        } catch {
            throw .notAuthentic(step)
        }
    }
}

/// Where a client's cookies, first sequence numbers and session keys come from. Each is drawn once for each other side.
public struct SignalingRandomness: Sendable {
    let cookie: @Sendable () -> SignalingCookie
    let sequence: @Sendable () -> UInt32
    let sessionKey: @Sendable () -> SessionKey

    /// The random numbers of the system, for every use outside of tests.
    public static let system = SignalingRandomness(
        cookie: { .random() },
        sequence: { Random.bytes(4).reduce(0) { $0 << 8 | UInt32($1) } },
        sessionKey: { .random() })

    /// Others, for tests only: two connections with the same ones reveal what they say.
    public init(
        cookie: @escaping @Sendable () -> SignalingCookie, sequence: @escaping @Sendable () -> UInt32,
        sessionKey: @escaping @Sendable () -> SessionKey
    ) {
        self.cookie = cookie
        self.sequence = sequence
        self.sessionKey = sessionKey
    }
}
