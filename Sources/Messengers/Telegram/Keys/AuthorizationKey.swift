internal import Primitives
public import SecureMemory

/// An authorization key: the 256 bytes that a client and Telegram's servers share since the client was registered.
///
/// There is one for each device and data centre. Anyone who has it can act as the account, until the user ends that
/// session.
public struct AuthorizationKey: ~Copyable, Sendable {
    /// Length in bytes.
    public static let count = 256

    /// The key, 256 bytes.
    public let bytes: SecureBytes

    /// - Parameter bytes: 256 bytes.
    /// - Throws: `.wrongLength`.
    public init(_ bytes: consuming SecureBytes) throws(AuthorizationKeyError) {
        guard bytes.count == Self.count else { throw .wrongLength(expected: Self.count, actual: bytes.count) }
        self.bytes = bytes
    }

    /// - Parameter bytes: 256 bytes, which the caller wipes.
    /// - Throws: `.wrongLength`.
    public init(copying bytes: Span<UInt8>) throws(AuthorizationKeyError) {
        try self.init(SecureBytes(copying: bytes))
    }

    /// The key that a Diffie-Hellman exchange has given.
    /// - Parameter number: big-endian, up to 256 bytes; zeros are added on the left. Without them, one key in 256 would
    ///   differ from the server's.
    /// - Throws: `.wrongLength`.
    public init(number: Span<UInt8>) throws(AuthorizationKeyError) {
        guard number.count <= Self.count else { throw .wrongLength(expected: Self.count, actual: number.count) }
        let start = Self.count - number.count
        bytes = SecureBytes(count: Self.count) { bytes in
            for index in number.indices { bytes[start + index] = number[index] }
        }
    }

    /// The name of this key: the last 8 bytes of its SHA-1.
    public var id: KeyID { KeyID(Array(digest.suffix(KeyID.count))) }

    /// What proves the key when it is created: the first 8 bytes of its SHA-1.
    public var auxiliaryHash: [UInt8] { Array(digest.prefix(8)) }

    /// SHA-1 of the key, 20 bytes. It stands before the key where that is held under a password.
    public var digest: [UInt8] { bytes.withBytes { Legacy.SHA1.hash($0) } }

    /// Whether a key that was just created may be used.
    /// - Parameter known: the IDs of all keys that are in use.
    /// - Throws: `.zeroID`, because that means "not encrypted"; `.knownID`. Then drop the key, and create another one.
    public func requireNew(among known: some Sequence<KeyID>) throws(AuthorizationKeyError) {
        let id = id
        guard !id.isZero else { throw .zeroID }
        guard !known.contains(id) else { throw .knownID(id) }
    }

    /// Whether both are the same key, in constant time.
    public func equals(_ other: borrowing AuthorizationKey) -> Bool {
        bytes.withBytes { left in other.bytes.withBytes { ConstantTime.areEqual(left, $0) } }
    }
}

/// Why bytes are not an authorization key, or not a new one.
public enum AuthorizationKeyError: Error, Equatable, Sendable {
    /// Lengths in bytes.
    case wrongLength(expected: Int, actual: Int)
    /// The ID of the key is zero.
    case zeroID
    /// Another key has this ID, or it is the same key.
    case knownID(KeyID)
}

/// An authorization key in a value that is copied, as in a list of keys.
///
/// This is a reference to the one copy in guarded memory, which is wiped with the last reference. Printing it shows
/// nothing of the key.
public final class HeldAuthorizationKey: Sendable, Equatable, CustomStringConvertible {
    /// The authorization key, to borrow.
    public let key: AuthorizationKey

    /// Takes over a key, whose bytes are not copied.
    public init(_ key: consuming AuthorizationKey) { self.key = key }

    /// Whether both are the same key, in constant time.
    public static func == (left: HeldAuthorizationKey, right: HeldAuthorizationKey) -> Bool {
        left.key.equals(right.key)
    }

    /// Tells nothing about the key.
    public var description: String { "HeldAuthorizationKey" }
}
