// A row (fileformat2.html, 2.1): the length of its header, then a number for the type of each value (all varints), then
// the values. Types:
//
//   0          NULL, as are all columns that were added to the table later
//   1 to 6     a number of 1, 2, 3, 4, 6 or 8 bytes, two's complement, big-endian
//   7          a floating-point number of 8 bytes
//   8, 9       0 and 1
//   12, 14, …  (type - 12) / 2 bytes
//   13, 15, …  a text of (type - 13) / 2 bytes

/// The values of a row: numbers, and the places of texts and bytes.
struct Record {
    enum Value: Equatable {
        case null
        case integer(Int64)
        case real
        case text(Range<Int>)
        case bytes(Range<Int>)
    }

    private static let maxValues = 64
    let values: [Value]

    /// - Throws: `.damaged`.
    init(_ row: Span<UInt8>) throws(TelegramSessionError) {
        var header = CellReader()
        let headerCount = try header.varint(row)
        guard (1...Int64(row.count)).contains(headerCount) else { throw .damaged }
        var values: [Value] = []
        var start = Int(headerCount)
        while header.position < Int(headerCount) {
            guard values.count < Self.maxValues else { throw .damaged }
            let type = try header.varint(row)
            guard type >= 0, let count = Self.count(of: type), count <= Int64(row.count - start) else {
                throw .damaged
            }
            let place = start..<start + Int(count)
            let value: Value =
                switch type {
                case 0: .null
                case 7: .real
                case 8, 9: .integer(type - 8)
                case 1...6: .integer(Self.integer(row.extracting(place)))
                default: type % 2 == 0 ? .bytes(place) : .text(place)
                }
            values.append(value)
            start = place.upperBound
        }
        self.values = values
    }

    /// - Returns: nil for a type that does not occur.
    private static func count(of type: Int64) -> Int64? {
        switch type {
        case 0, 8, 9: 0
        case 1...4: type
        case 5: 6
        case 6, 7: 8
        case 12...: (type - 12) / 2
        default: nil
        }
    }

    private static func integer(_ bytes: Span<UInt8>) -> Int64 {
        let unused = Int64(64 - 8 * bytes.count)
        return (Int64(bitPattern: bytes.number(bytes.count, at: 0)) << unused) >> unused
    }
}
