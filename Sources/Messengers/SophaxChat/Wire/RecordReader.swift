/// Places in a record, checked before they are read.
package struct RecordReader {
    private var position = 0
    private let count: Int

    /// - Parameter count: of the record, in bytes.
    package init(_ count: Int) { self.count = count }

    /// The next bytes.
    package mutating func take(_ length: Int) throws(StoredRecordError) -> Range<Int> {
        guard length <= count - position else { throw .malformed }
        defer { position += length }
        return position..<position + length
    }

    /// All bytes behind those that were taken.
    package var rest: Range<Int> { position..<count }
}

extension Span<UInt8> {
    /// Up to 8 bytes as a number, big endian.
    package func number(_ range: Range<Int>) -> UInt64 { range.reduce(0) { $0 << 8 | UInt64(self[$1]) } }
}
