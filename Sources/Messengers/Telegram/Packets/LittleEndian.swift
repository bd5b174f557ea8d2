internal import SecureMemory

// Numbers on the wire are little-endian.

extension [UInt8] {
    mutating func append(number: UInt64) { append(number, width: 8) }

    mutating func append(number: UInt32) { append(UInt64(number), width: 4) }

    private mutating func append(_ number: UInt64, width: UInt64) {
        for index in 0..<width { append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
    }
}

extension SecureBuffer {
    mutating func append(number: UInt64) { append(number, width: 8) }

    mutating func append(number: UInt32) { append(UInt64(number), width: 4) }

    private mutating func append(_ number: UInt64, width: UInt64) {
        for index in 0..<width { append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
    }
}

extension Span where Element == UInt8 {
    /// The caller has checked that 8 bytes are there.
    func number64(at offset: Int) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(self[offset + $1]) << UInt64(8 * $1) }
    }

    /// The caller has checked that 4 bytes are there.
    func number32(at offset: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(self[offset + $1]) << UInt32(8 * $1) }
    }
}
