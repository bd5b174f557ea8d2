internal import SecureMemory
internal import ThreemaMessages

// The last message of the handshake, in its box:
//
//   offset  length  meaning
//        0       4  reserved
//        4       8  the server's time, Unix milliseconds, little-endian
//       12       4  how many messages are queued, little-endian
//
// The specification has 16 zeros in the place of all of it, which a server may still send.

/// What a server says to a client that has logged in.
public struct LoginAcknowledgement: Equatable, Sendable {
    /// Length in bytes.
    public static let count = 16

    /// The server's time in Unix milliseconds; 0 if the server does not say it.
    public var milliseconds: UInt64
    /// How many messages wait for the client; 0 also if the server does not say it.
    public var queuedCount: UInt32

    /// - Parameters:
    ///   - milliseconds: the server's time in Unix milliseconds.
    ///   - queuedCount: how many messages wait for the client.
    public init(milliseconds: UInt64, queuedCount: UInt32) {
        self.milliseconds = milliseconds
        self.queuedCount = queuedCount
    }

    /// The form of the specification: 16 zeros.
    public static let silent = LoginAcknowledgement(milliseconds: 0, queuedCount: 0)

    /// - Parameter bytes: 16 bytes, any value. The reserved ones are ignored.
    public init(decoding bytes: Span<UInt8>) {
        precondition(bytes.count == Self.count)
        milliseconds = bytes.littleEndian(at: 4, width: 8)
        queuedCount = UInt32(bytes.littleEndian(at: 12, width: 4))
    }

    /// The 16 bytes of the plaintext.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = [0, 0, 0, 0]
        bytes.append(littleEndian: milliseconds, width: 8)
        bytes.append(littleEndian: UInt64(queuedCount), width: 4)
        return bytes
    }
}
