internal import Encodings
internal import Primitives
public import SecureMemory
public import Threema

/// A secret that several values share: one that a message carries to its receivers, or the key of a side of a
/// connection. Secrets of different kinds have different types.
///
/// Messages and states are copied, queued and compared, so this is a reference to the one copy in guarded memory, which
/// is wiped with the last reference. Printing it shows the name of its kind only.
public final class SharedSecret<Kind: SecretKind>: Sendable, Equatable, CustomStringConvertible {
    /// The bytes, to borrow.
    public let bytes: SecureBytes
    fileprivate let publicPart: Kind.PublicPart

    /// - Parameter bytes: as many as the kind has.
    public init(_ bytes: consuming SecureBytes) {
        precondition(Kind.count == nil || bytes.count == Kind.count)
        publicPart = Kind.publicPart(of: bytes)
        self.bytes = bytes
    }

    /// Copies bytes into guarded memory. The caller wipes the source.
    public convenience init(copying bytes: Span<UInt8>) { self.init(SecureBytes(copying: bytes)) }

    /// Whether both are the same bytes, in constant time for each length.
    public static func == (left: SharedSecret, right: SharedSecret) -> Bool {
        left.bytes.withBytes { left in right.bytes.withBytes { ConstantTime.areEqual(left, $0) } }
    }

    /// Tells nothing about the bytes.
    public var description: String { "\(Kind.self)" }
}

/// What a shared secret is.
public protocol SecretKind {
    /// What is computed of the secret once, and is not secret: nothing, or a public key.
    associatedtype PublicPart: Sendable

    /// Length in bytes; nil for any.
    static var count: Int? { get }

    /// - Parameter bytes: as many as the kind has.
    static func publicPart(of bytes: borrowing SecureBytes) -> PublicPart
}

extension SecretKind where PublicPart == Void {
    /// Nothing.
    public static func publicPart(of bytes: borrowing SecureBytes) {}
}

/// A key of 32 bytes.
public protocol KeyKind: SecretKind {}

extension KeyKind {
    /// 32 bytes.
    public static var count: Int? { 32 }
}

extension SharedSecret where Kind: KeyKind {
    /// Length in bytes.
    public static var count: Int { 32 }

    /// A key from the system's random numbers. No two files, codes or connections may have the same.
    public static func random() -> SharedSecret { SharedSecret(Random.secret(count)) }

    /// - Parameter hex: 64 hexadecimal digits; nil for anything else.
    convenience init?(hex: Span<UInt8>) {
        guard hex.count == 2 * Self.count, let bytes = Hex.decode(hex) else { return nil }
        self.init(bytes)
    }

    /// Appends 64 lower-case hexadecimal digits.
    func appendHex(to buffer: inout SecureBuffer) {
        bytes.withBytes { Hex.encode($0, appendingTo: &buffer) }
    }
}

/// A private key of X25519.
public protocol PrivateKeyKind: KeyKind where PublicPart == PublicKey {}

extension PrivateKeyKind {
    /// The public key.
    public static func publicPart(of bytes: borrowing SecureBytes) -> PublicKey {
        // Not nil: a clamped private key has no public key of low order.
        PublicKey(bytes.withBytes { X25519.publicKey(of: $0) })!
    }
}

extension SharedSecret where Kind: PrivateKeyKind {
    /// The public key, 32 bytes.
    public var publicKey: PublicKey { publicPart }
}

/// The kinds of shared secrets; each room adds its own.
public enum SecretKinds {
    /// The kind of the type of this name.
    public enum EnclosedKey: KeyKind {}

    /// The kind of the type of this name.
    public enum EnclosedBytes: SecretKind {
        /// Any number of bytes.
        public static var count: Int? { nil }
    }
}

/// A 32-byte key that a message carries to its receivers: of a blob, or of a group call.
public typealias EnclosedKey = SharedSecret<SecretKinds.EnclosedKey>

/// The bytes of a body that this library does not read. Audio messages, and images and videos in groups, carry the key
/// of their file somewhere in it, so such a body is in guarded memory.
public typealias EnclosedBytes = SharedSecret<SecretKinds.EnclosedBytes>
