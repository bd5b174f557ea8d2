/// Reads numbers one behind the other from bytes that may end too early. Each call has the same bytes.
struct CellReader {
    /// Offset of the next byte.
    private(set) var position: Int

    init(at position: Int = 0) { self.position = position }

    /// A big-endian number of 4 bytes.
    mutating func number32(_ bytes: Span<UInt8>) throws(TelegramSessionError) -> UInt32 {
        guard position + 4 <= bytes.count else { throw .damaged }
        defer { position += 4 }
        return UInt32(bytes.number(4, at: position))
    }

    /// A number of 1 to 9 bytes, 7 bits in each but the ninth, which has 8 (fileformat2.html, 1.6).
    mutating func varint(_ bytes: Span<UInt8>) throws(TelegramSessionError) -> Int64 {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard position < bytes.count else { throw .damaged }
            let byte = bytes[position]
            position += 1
            if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
            value = value << 7 | UInt64(byte & 0x7f)
            if byte < 0x80 { break }
        }
        return Int64(bitPattern: value)
    }
}
