internal import Primitives
public import SecureMemory

/// A MainKey: the 32 random bytes that encrypt the local data of one login to Proton's apps.
public struct MainKey: ~Copyable, Sendable {
    /// Length in bytes.
    public static let count = 32

    /// The key, 32 bytes.
    public let bytes: SecureBytes

    /// - Parameter bytes: 32 bytes.
    /// - Throws: `.wrongLength`.
    public init(_ bytes: consuming SecureBytes) throws(MainKeyError) {
        guard bytes.count == Self.count else { throw .wrongLength(expected: Self.count, actual: bytes.count) }
        self.bytes = bytes
    }

    private init(random bytes: consuming SecureBytes) { self.bytes = bytes }

    /// A new key from the system's random numbers.
    public static func random() -> MainKey { MainKey(random: Random.secret(count)) }

    /// What tells keys apart without opening anything: HMAC-SHA256 of `keytool-mainkey-id` under the key, the first
    /// 8 bytes. The apps have no such value.
    public var checkValue: CheckValue {
        let purpose = Array("keytool-mainkey-id".utf8)
        let code = bytes.withBytes { HMACSHA256.authenticate(purpose.span, key: $0) }
        return CheckValue(Array(code.prefix(CheckValue.count)))
    }

    /// Whether both are the same key, in constant time.
    public func equals(_ other: borrowing MainKey) -> Bool {
        bytes.withBytes { left in other.bytes.withBytes { ConstantTime.areEqual(left, $0) } }
    }
}

/// Why bytes are not a MainKey.
public enum MainKeyError: Error, Equatable, Sendable {
    /// Lengths in bytes.
    case wrongLength(expected: Int, actual: Int)
}
