internal import Primitives
internal import SecureMemory
public import Threema
internal import ThreemaMessages

// Login data:
//
//   offset  length  meaning
//        0       8  identity
//        8      30  "threema-clever-extension-field"
//       38       2  length of the extensions' box, with its tag, little-endian
//       40      16  cookie of the server
//       56      24  zeros
//       80      32  vouch
//      112      16  zeros

/// What a client logs in with: the first box of a login.
public struct LoginData: Equatable, Sendable {
    /// Length in bytes.
    public static let count = vouchOffset + ChatSecrets.vouchCount + secondZeroCount
    static let tagCount = Box.tagCount
    private static let indicator = Array("threema-clever-extension-field".utf8)
    private static let lengthOffset = ThreemaID.count + indicator.count
    private static let cookieOffset = lengthOffset + 2
    private static let zeroOffset = cookieOffset + ChatCookie.count
    private static let vouchOffset = zeroOffset + firstZeroCount
    private static let firstZeroCount = 24
    private static let secondZeroCount = 16

    /// The ID that logs in; a claim until its vouch is verified.
    public var identity: ThreemaID
    /// Length of the box that follows, in bytes, with its tag.
    public var extensionsBoxCount: UInt16
    /// The server's cookie of this connection.
    public var serverCookie: ChatCookie
    /// 32 bytes, see ``ChatSecrets/vouch(key:serverCookie:temporaryClientKey:)``.
    public var vouch: [UInt8]

    /// Puts the parts together.
    /// - Parameter vouch: 32 bytes.
    public init(identity: ThreemaID, extensionsBoxCount: UInt16, serverCookie: ChatCookie, vouch: [UInt8]) {
        precondition(vouch.count == ChatSecrets.vouchCount)
        self.identity = identity
        self.extensionsBoxCount = extensionsBoxCount
        self.serverCookie = serverCookie
        self.vouch = vouch
    }

    /// Reads login data, `count` bytes. Nothing is verified.
    /// - Throws: `.wrongLength`, `.invalidID`, `.wrongIndicator`, `.extensionsTooShort`, `.reservedNotZero`.
    public init(decoding bytes: Span<UInt8>) throws(LoginDataError) {
        guard bytes.count == Self.count else { throw .wrongLength(expected: Self.count, actual: bytes.count) }
        guard let identity = try? ThreemaID(bytes: bytes.extracting(0..<ThreemaID.count)) else { throw .invalidID }
        guard bytes.publicBytes(ThreemaID.count..<Self.lengthOffset) == Self.indicator else { throw .wrongIndicator }
        let boxCount = UInt16(bytes.littleEndian(at: Self.lengthOffset, width: 2))
        guard boxCount >= Self.tagCount else {
            throw .extensionsTooShort(minimum: Self.tagCount, actual: Int(boxCount))
        }
        let vouchEnd = Self.vouchOffset + ChatSecrets.vouchCount
        let zeros = bytes.publicBytes(Self.zeroOffset..<Self.vouchOffset) + bytes.publicBytes(vouchEnd..<Self.count)
        guard zeros.allSatisfy({ $0 == 0 }) else { throw .reservedNotZero }
        self.init(
            identity: identity, extensionsBoxCount: boxCount,
            serverCookie: ChatCookie(bytes.publicBytes(Self.cookieOffset..<Self.zeroOffset)),
            vouch: bytes.publicBytes(Self.vouchOffset..<vouchEnd))
    }

    /// The 128 bytes of the plaintext.
    public var encoded: [UInt8] {
        var bytes = identity.bytes + Self.indicator
        bytes.append(littleEndian: UInt64(extensionsBoxCount), width: 2)
        bytes += serverCookie.bytes + [UInt8](repeating: 0, count: Self.firstZeroCount)
        return bytes + vouch + [UInt8](repeating: 0, count: Self.secondZeroCount)
    }
}

/// Why login data are refused.
public enum LoginDataError: Error, Equatable, Sendable {
    case wrongLength(expected: Int, actual: Int)
    case invalidID
    /// The client does not send extensions.
    case wrongIndicator
    /// The box of the extensions has no tag.
    case extensionsTooShort(minimum: Int, actual: Int)
    case reservedNotZero
}
