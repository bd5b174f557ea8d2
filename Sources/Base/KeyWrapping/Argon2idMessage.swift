internal import SecureMemory

/// The Protocol Buffers message by which both Android and Desktop say how a key is derived:
///
///     field  type    meaning
///         1  varint  version: 0, Argon2id v1.3
///         2  bytes   salt
///         3  varint  memory: KiB in Android's files, bytes in Desktop's
///         4  varint  passes
///         5  varint  lanes
///         6  bytes   what is encrypted (Android only)
package struct Argon2idMessage {
    /// The cost, within its bounds.
    package let cost: Argon2idCost
    /// 16 to 64 bytes.
    package let salt: [UInt8]
    /// Range of field 6 in the message; nil if it is missing.
    package let content: Range<Int>?

    /// - Parameter memoryUnit: 1 if the memory field counts KiB, 1024 if it counts bytes.
    /// - Throws: `.malformed`, `.unknownVersion`, `.cost`.
    package init(_ message: Span<UInt8>, memoryUnit: UInt64) throws(KeyFileError) {
        let fields = try MessageFields(message)
        guard fields.number(1) == 0 else { throw .unknownVersion(fields.number(1)) }
        guard let salt = fields.places[2] else { throw .malformed }
        guard Argon2idCost.saltBounds.contains(salt.count) else { throw .cost(.salt, UInt64(salt.count)) }
        cost = try Argon2idCost(
            memoryKiB: fields.number(3) / memoryUnit, iterations: fields.number(4), parallelism: fields.number(5))
        self.salt = message.extracting(salt).revealBytes()
        content = fields.places[6]
    }
}
