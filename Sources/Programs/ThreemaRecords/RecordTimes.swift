package import Encodings

// Times in records: milliseconds since the epoch, 8 bytes, big-endian.

extension Timestamp {
    /// 8 bytes.
    package var recordBytes: [UInt8] {
        let number = UInt64(bitPattern: milliseconds)
        return stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// - Parameter offset: of 8 bytes, which have to be there.
    package init(record bytes: Span<UInt8>, at offset: Int) {
        let number = (offset..<offset + 8).reduce(UInt64(0)) { $0 << 8 | UInt64(bytes[$1]) }
        self.init(milliseconds: Int64(bitPattern: number))
    }
}
