internal import Encodings
internal import SecureMemory

/// Why a record was not read.
public enum RecordError: Error, Equatable, Sendable {
    /// It is of a later version of this library.
    case unknownForm(UInt8)
    /// It is of another suite, whose ID this is.
    case otherSuite(UInt8)
    case malformed
}

// Numbers are little-endian. Everything is read through these functions, which check lengths.

extension SecureBuffer {
    mutating func append(number: UInt64, width: Int) {
        for index in 0..<width { append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
    }

    mutating func append(_ key: HeldKey?) {
        if let key { append(key.bytes) }
    }

    mutating func append(_ chain: KeyChain) {
        append(chain.key)
        append(number: UInt64(chain.next), width: 4)
    }

    mutating func append(_ table: KeyTable) {
        append(number: UInt64(table.count), width: 2)
        for entry in table.entries {
            append(number: UInt64(entry.number), width: 4)
            append(number: UInt64(bitPattern: entry.stored.milliseconds), width: 8)
        }
        table.withKeys { append($0) }
    }
}

extension KeyChain {
    static let encodedCount = KeyTable.keyCount + 4
}

extension KeyTable {
    /// Length in a record, in bytes.
    static func encodedCount(_ number: Int) -> Int { 2 + number * (4 + 8 + keyCount) }
}

extension Span where Element == UInt8 {
    /// The next bytes.
    func piece(_ width: Int, _ position: inout Int) throws(RecordError) -> Range<Int> {
        guard width >= 0, count - position >= width else { throw .malformed }
        defer { position += width }
        return position..<position + width
    }

    func number(_ width: Int, _ position: inout Int) throws(RecordError) -> UInt64 {
        let place = try piece(width, &position)
        var number: UInt64 = 0
        for index in 0..<width { number |= UInt64(self[place.lowerBound + index]) << UInt64(8 * index) }
        return number
    }

    func bytes(_ width: Int, _ position: inout Int) throws(RecordError) -> [UInt8] {
        extracting(try piece(width, &position)).revealBytes()
    }

    func key(_ position: inout Int) throws(RecordError) -> HeldKey {
        HeldKey(extracting(try piece(KeyTable.keyCount, &position)))
    }

    func chain(_ position: inout Int) throws(RecordError) -> KeyChain {
        KeyChain(key: try key(&position), next: UInt32(try number(4, &position)))
    }

    /// - Parameters:
    ///   - limit: most keys.
    ///   - end: above all numbers; nil if every number is valid.
    func table(limit: Int, below end: UInt32?, _ position: inout Int) throws(RecordError) -> KeyTable {
        let count = Int(try number(2, &position))
        guard count <= limit else { throw .malformed }
        var entries: [KeyTable.Entry] = []
        for _ in 0..<count {
            let number = UInt32(try number(4, &position))
            let stored = Timestamp(milliseconds: Int64(bitPattern: try self.number(8, &position)))
            guard entries.last.map({ $0.number < number }) ?? true else { throw .malformed }
            entries.append(KeyTable.Entry(number: number, stored: stored))
        }
        if let end, let last = entries.last, last.number >= end { throw .malformed }
        let keys = try piece(count * KeyTable.keyCount, &position)
        return KeyTable(entries: entries, keys: extracting(keys))
    }
}
