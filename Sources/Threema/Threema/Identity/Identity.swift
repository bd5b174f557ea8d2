public import SecureMemory

/// An ID with its private key.
///
///   offset  length  meaning
///        0       8  ID
///        8      32  client key
///
/// Both backup codes and the keystore contain these 40 bytes.
public struct Identity: ~Copyable, Sendable {
    /// Length of the encoded form in bytes.
    public static let encodedCount = ThreemaID.count + ClientKey.count

    /// The ID, eight characters, which the directory has given.
    public let id: ThreemaID
    /// The private key of the ID, 32 bytes in guarded memory.
    public let clientKey: ClientKey

    /// Combines an ID and a private key. Whether they belong together cannot be checked here.
    public init(id: ThreemaID, clientKey: consuming ClientKey) {
        self.id = id
        self.clientKey = clientKey
    }

    /// Decodes 40 bytes.
    /// - Throws: `.wrongLength`; `.invalidID` if they do not begin with an ID.
    public init(decoding bytes: Span<UInt8>) throws(IdentityError) {
        guard bytes.count == Self.encodedCount else {
            throw .wrongLength(expected: Self.encodedCount, actual: bytes.count)
        }
        guard let id = try? ThreemaID(bytes: bytes.extracting(0..<ThreemaID.count)) else { throw .invalidID }
        self.id = id
        clientKey = ClientKey(SecureBytes(copying: bytes.extracting(ThreemaID.count..<bytes.count)))
    }

    /// ID ‖ client key, 40 bytes.
    public func encoded() -> SecureBytes {
        var buffer = SecureBuffer(capacity: Self.encodedCount)
        buffer.append(id.bytes.span)
        buffer.append(clientKey.bytes)
        return buffer.finish()
    }

    /// The content of the QR code that a contact scans.
    public var contactCode: ContactCode { ContactCode(id: id, publicKey: clientKey.publicKey) }

    /// Whether ID and private key are equal. Compares keys in constant time.
    public func isSame(as other: borrowing Identity) -> Bool {
        let isSameKey = clientKey.bytes.withBytes { key in
            other.clientKey.bytes.withBytes { ConstantTime.areEqual(key, $0) }
        }
        return id == other.id && isSameKey
    }
}

/// Why bytes were not decoded as an identity.
public enum IdentityError: Error, Equatable, Sendable {
    case wrongLength(expected: Int, actual: Int)
    case invalidID
}
