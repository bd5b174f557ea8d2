public import Primitives
public import SecureMemory

/// The keys of one direction of a session, one for each message ("KDF ratchet").
///
///     message key    = BLAKE2b-256(key: chain key, salt: "kdf-aek", personal: "3ma-e2e")
///     next chain key = BLAKE2b-256(key: chain key, salt: "kdf-ck", personal: "3ma-e2e")
///
/// A message key encrypts one message, with a nonce of zeros. So a chain key must not be used after its message was
/// sealed: store the next one before the message leaves.
public struct Chain: ~Copyable, Sendable {
    /// Most steps between two messages. It bounds the work that a message can cause.
    public static let maxAdvance: UInt64 = 25_000
    /// Length of a chain key in bytes.
    public static let keyCount = 32
    /// Counter of the first message.
    public static let firstCounter: UInt64 = 1
    /// Greatest counter, which no session reaches.
    static let maxCounter = UInt64(Int64.max)

    static let personal = "3ma-e2e"
    private static let stepSalt = "kdf-ck"

    /// The chain key, 32 bytes.
    public private(set) var key: SecureBytes
    /// The number of the message that this key is for.
    public private(set) var counter: UInt64

    /// - Parameter key: 32 bytes.
    public init(key: consuming SecureBytes, counter: UInt64 = Self.firstCounter) {
        precondition(key.count == Self.keyCount)
        self.key = key
        self.counter = counter
    }

    /// The key of the message with the number `counter`, 32 bytes. It opens and seals that message only.
    public func messageKey() -> SecureBytes {
        BLAKE2b.deriveKey(from: key, salt: "kdf-aek", personal: Self.personal)
    }

    /// Replaces the chain key by the next one. The old one is wiped.
    public mutating func turn() {
        key = BLAKE2b.deriveKey(from: key, salt: Self.stepSalt, personal: Self.personal)
        counter += 1
    }

    /// Turns until the message with this number is next.
    /// - Parameter limit: most steps.
    /// - Throws: `.passed`, `.tooFar`; then nothing has changed.
    public mutating func advance(to target: UInt64, limit: UInt64 = Self.maxAdvance) throws(ChainError) {
        guard target >= counter else { throw .passed(counter: counter, target: target) }
        guard target <= Self.maxCounter, target - counter <= limit else {
            throw .tooFar(counter: counter, target: target)
        }
        guard target > counter else { return }
        key = BLAKE2b.deriveKey(
            from: key, times: Int(target - counter), salt: Self.stepSalt, personal: Self.personal)
        counter = target
    }
}

/// Why a chain has no key for a message.
public enum ChainError: Error, Equatable, Sendable {
    /// The message, or a later one, was received already. Its key does not exist any more.
    case passed(counter: UInt64, target: UInt64)
    /// More messages are missing than a chain may skip.
    case tooFar(counter: UInt64, target: UInt64)
}

/// The box around type and body, without padding: XSalsa20-Poly1305 with a nonce of 24 zeros.
public enum InnerBox {
    private static let nonce = [UInt8](repeating: 0, count: SecretBox.nonceCount)

    /// - Parameters:
    ///   - inner: type ‖ body.
    ///   - key: from `Chain.messageKey()`, 32 bytes. It must not seal anything else.
    /// - Returns: tag ‖ ciphertext, 16 bytes longer than `inner`.
    public static func seal(_ inner: Span<UInt8>, key: borrowing SecureBytes) -> [UInt8] {
        key.withBytes { SecretBox.seal(inner, nonce: nonce, key: $0) }
    }

    /// Decrypts and authenticates.
    /// - Throws: `.notAuthentic`.
    public static func open(
        _ box: Span<UInt8>, key: borrowing SecureBytes
    ) throws(AuthenticationError) -> SecureBytes {
        try key.withBytes { (key) throws(AuthenticationError) in
            try SecretBox.open(box, nonce: nonce, key: key)
        }
    }
}
