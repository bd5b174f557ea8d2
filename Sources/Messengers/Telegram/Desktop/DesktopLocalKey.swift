internal import Primitives
public import SecureMemory

// What the Desktop app encrypts on a disk, under a key of 256 bytes:
//
//   offset  length  meaning
//        0      16  the first 16 bytes of SHA-1 of all that is encrypted, padding too
//       16    16·n  AES-256-IGE; key and IV are those of a packet of MTProto 1 from a server:
//       +0       4  length of this field and the payload, little-endian
//       +4       …  payload
//        …    0–15  random bytes

/// A key of the Desktop app: the local key, which encrypts its files, or the one that a passcode gives.
public struct DesktopLocalKey: ~Copyable, Sendable {
    /// Length in bytes.
    public static let count = 256
    /// Length of a salt in bytes.
    public static let saltCount = 32
    private static let keyOffset = 8
    private static let hashCount = 16
    private static let lengthCount = 4

    /// How a passcode becomes a key.
    public enum Derivation: Sendable, CaseIterable {
        /// PBKDF2-HMAC-SHA-512 of SHA-512(salt ‖ passcode ‖ salt), 100,000 times.
        case current
        /// PBKDF2-HMAC-SHA-1, 4000 times: of older apps.
        case legacy

        /// An empty passcode protects nothing, so the app spends no time on it.
        func iterations(isEmpty: Bool) -> Int {
            switch self {
            case .current: isEmpty ? 1 : 100_000
            case .legacy: isEmpty ? 4 : 4000
            }
        }
    }

    /// The 256 bytes.
    public let bytes: SecureBytes

    /// - Parameter bytes: 256 bytes.
    public init(_ bytes: consuming SecureBytes) {
        precondition(bytes.count == Self.count)
        self.bytes = bytes
    }

    /// Derives the key that opens the local key.
    /// - Parameters:
    ///   - passcode: UTF-8; empty if the app has no passcode.
    ///   - salt: 32 bytes.
    public init(passcode: borrowing SecureBytes, salt: [UInt8], _ derivation: Derivation) {
        precondition(salt.count == Self.saltCount)
        let iterations = derivation.iterations(isEmpty: passcode.count == 0)
        switch derivation {
        case .current:
            var message = SecureBuffer(capacity: 2 * salt.count + passcode.count)
            message.append(salt.span)
            message.append(passcode)
            message.append(salt.span)
            let password = message.finish().withBytes { SHA512.hash($0) }
            bytes = password.withBytes {
                PBKDF2.deriveKeySHA512(password: $0, salt: salt, iterations: iterations, count: Self.count)
            }
        case .legacy:
            bytes = passcode.withBytes {
                Legacy.PBKDF2SHA1.deriveKey(password: $0, salt: salt, iterations: iterations, count: Self.count)
            }
        }
    }

    /// Decrypts what the app has encrypted under this key.
    /// - Returns: the payload.
    /// - Throws: `.malformed`; `.otherLocalKey` if it was encrypted under another key.
    public func open(_ blob: Span<UInt8>) throws(DesktopError) -> SecureBytes {
        let sealedCount = blob.count - Self.hashCount
        guard sealedCount > 0, sealedCount <= DesktopFile.maxCount,
            sealedCount.isMultiple(of: Legacy.AESIGE.blockCount)
        else { throw .malformed }
        let hash = blob.extracting(0..<Self.hashCount).revealBytes()
        let plain = keys(hash).decrypt(blob.extracting(Self.hashCount..<blob.count))
        return try plain.withBytes { (plain) throws(DesktopError) in
            guard ConstantTime.areEqual(Self.hash(plain).span, hash.span) else { throw .otherLocalKey }
            let length = UInt64(plain.number32(at: 0))
            let room = UInt64(plain.count)
            guard length >= UInt64(Self.lengthCount), length <= room, room - length < UInt64(Legacy.AESIGE.blockCount)
            else { throw .malformed }
            return SecureBytes(copying: plain.extracting(Self.lengthCount..<Int(length)))
        }
    }

    private func keys(_ hash: [UInt8]) -> BlockKeys {
        bytes.withBytes { LegacyMTProto1.blockKeys($0, messageKey: hash, offset: Self.keyOffset) }
    }

    private static func hash(_ plain: Span<UInt8>) -> [UInt8] {
        Array(Legacy.SHA1.hash(plain).prefix(hashCount))
    }
}
