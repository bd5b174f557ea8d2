internal import SecureMemory

/// Guarded memory for a type and its body, filled front to back and limited before each write.
struct BodyWriter: ~Copyable {
    private var buffer: SecureBuffer

    /// - Parameter most: longest body, in bytes.
    init(_ type: MessageType, most: Int) {
        buffer = SecureBuffer(capacity: MessageContainer.typeCount + most + MessageContainer.maxPaddingCount)
        buffer.append(type.rawValue)
    }

    /// - Throws: `.tooLong` if the body has no room for so many more bytes.
    private func require(_ count: Int) throws(MessageBodyError) {
        let total = buffer.count - MessageContainer.typeCount + count
        guard total <= MessageLimits.bodyBytes else {
            throw .tooLong(limit: MessageLimits.bodyBytes, actual: total)
        }
    }

    mutating func append(_ byte: UInt8) throws(MessageBodyError) {
        try require(1)
        buffer.append(byte)
    }

    mutating func append(_ bytes: Span<UInt8>) throws(MessageBodyError) {
        try require(bytes.count)
        buffer.append(bytes)
    }

    mutating func append(_ bytes: [UInt8]) throws(MessageBodyError) { try append(bytes.span) }

    mutating func append(littleEndian value: UInt64, width: Int) throws(MessageBodyError) {
        try require(width)
        buffer.append(littleEndian: value, width: width)
    }

    mutating func append(_ key: EnclosedKey) throws(MessageBodyError) {
        try require(EnclosedKey.count)
        buffer.append(key.bytes)
    }

    mutating func append(_ bytes: EnclosedBytes) throws(MessageBodyError) {
        try bytes.bytes.withBytes { (bytes) throws(MessageBodyError) in try append(bytes) }
    }

    mutating func appendHex(_ key: EnclosedKey) throws(MessageBodyError) {
        try require(2 * EnclosedKey.count)
        key.appendHex(to: &buffer)
    }

    /// Appends the padding.
    /// - Parameter randomPadding: 1...255.
    /// - Returns: the container.
    consuming func finish(randomPadding: Int) -> SecureBytes {
        MessageContainer.pad(&buffer, random: randomPadding)
        return buffer.finish()
    }
}
