internal import SecureMemory
internal import ThreemaMessages

// Each message is a nonce and data. The nonce, whose numbers are big-endian:
//
//   offset  length  meaning
//        0      16  cookie of the sender for this receiver
//       16       1  address of the sender: 0 server, 1 initiator, 2…255 responders
//       17       1  address of the receiver; 0 for both sides until the server has given an address
//       18       2  overflow number, 0 at first
//       20       4  sequence number, random at first
//
// Overflow and sequence number together are the combined sequence number of 48 bits. It grows by one with each message
// of a sender to a receiver.

/// 16 random bytes that one side draws for another one.
public struct SignalingCookie: Hashable, Sendable {
    /// Length in bytes.
    public static let count = 16

    /// The 16 bytes.
    public let bytes: [UInt8]

    /// - Parameter bytes: 16 bytes.
    public init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.count)
        self.bytes = bytes
    }

    /// A cookie from the system's random numbers. Each connection needs a new one.
    public static func random() -> SignalingCookie { SignalingCookie(Random.bytes(count)) }
}

/// The address of a side on a path.
public typealias SignalingAddress = UInt8

/// The first 24 bytes of a message.
public struct SignalingNonce: Equatable, Sendable {
    /// Length in bytes.
    public static let count = 24
    /// Greatest combined sequence number. A side that has sent it sends nothing more.
    public static let maxSequence: UInt64 = 1 << 48 - 1

    /// The address of the server.
    public static let server: SignalingAddress = 0
    /// Address of the web client.
    public static let initiator: SignalingAddress = 1
    /// The addresses that a server gives to apps.
    public static let responders: ClosedRange<SignalingAddress> = 2...255

    /// The cookie that the sender has chosen for this connection.
    public let cookie: SignalingCookie
    /// The address of the sender.
    public let source: SignalingAddress
    /// The address of the receiver: 0 for the server itself.
    public let destination: SignalingAddress
    /// Overflow number × 2³² + sequence number.
    public let sequence: UInt64

    /// - Parameter sequence: at most `maxSequence`.
    public init(
        cookie: SignalingCookie, source: SignalingAddress, destination: SignalingAddress, sequence: UInt64
    ) {
        precondition(sequence <= Self.maxSequence)
        self.cookie = cookie
        self.source = source
        self.destination = destination
        self.sequence = sequence
    }

    /// - Parameter bytes: 24 bytes or more, of which the first 24 are read.
    public init(_ bytes: Span<UInt8>) {
        precondition(bytes.count >= Self.count)
        cookie = SignalingCookie(bytes.publicBytes(0..<SignalingCookie.count))
        source = bytes[16]
        destination = bytes[17]
        var sequence: UInt64 = 0
        for index in 18..<Self.count { sequence = sequence << 8 | UInt64(bytes[index]) }
        self.sequence = sequence
    }

    /// The 24 bytes.
    public var bytes: [UInt8] {
        var bytes = cookie.bytes + [source, destination]
        bytes.append(bigEndian: sequence, width: 6)
        return bytes
    }

    /// What a server calls the message by if it cannot deliver it: the 8 bytes behind the cookie.
    var messageID: [UInt8] { Array(bytes[SignalingCookie.count...]) }
}

/// The nonces of messages to one receiver.
struct SendingNonces: Sendable {
    let cookie: SignalingCookie
    /// Of the next message; nil if there is no number left.
    private(set) var sequence: UInt64?

    /// - Parameter sequence: of the first message. Its overflow number is 0.
    init(cookie: SignalingCookie, sequence: UInt32) {
        self.cookie = cookie
        self.sequence = UInt64(sequence)
    }

    /// For tests of the last numbers.
    init(cookie: SignalingCookie, combined: UInt64) {
        self.cookie = cookie
        sequence = combined
    }

    /// - Throws: `.sequenceExhausted`.
    mutating func next(
        _ source: SignalingAddress, _ destination: SignalingAddress
    ) throws(SignalingError) -> SignalingNonce {
        guard let sequence else { throw .sequenceExhausted }
        self.sequence = sequence < SignalingNonce.maxSequence ? sequence + 1 : nil
        return SignalingNonce(cookie: cookie, source: source, destination: destination, sequence: sequence)
    }
}

/// What the nonces of one sender have to be.
struct ReceivingNonces: Sendable {
    private(set) var cookie: SignalingCookie?
    /// Of the next message; nil for any before the first message, and after the greatest one.
    private(set) var sequence: UInt64?

    init() {}

    /// For tests of the last numbers.
    init(cookie: SignalingCookie, combined: UInt64) {
        self.cookie = cookie
        sequence = combined
    }

    /// Takes the nonce of the next message.
    /// - Parameter own: the cookie of this side for the sender.
    /// - Throws: `.cookieIsOwn` and `.overflowNotZero` for a first message, `.cookieChanged` and `.sequenceNotNext` for
    ///   others, `.sequenceExhausted`. Nothing is taken then.
    mutating func take(_ nonce: SignalingNonce, own: SignalingCookie) throws(SignalingError) {
        if let cookie {
            guard nonce.cookie == cookie else { throw .cookieChanged }
            guard let sequence else { throw .sequenceExhausted }
            guard nonce.sequence == sequence else {
                throw .sequenceNotNext(expected: sequence, actual: nonce.sequence)
            }
        } else {
            guard nonce.cookie != own else { throw .cookieIsOwn }
            guard nonce.sequence >> 32 == 0 else { throw .overflowNotZero(UInt16(nonce.sequence >> 32)) }
            cookie = nonce.cookie
        }
        sequence = nonce.sequence < SignalingNonce.maxSequence ? nonce.sequence + 1 : nil
    }
}
