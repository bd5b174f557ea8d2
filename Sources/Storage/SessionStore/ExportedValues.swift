internal import SecureMemory

// The values of a store outside of it, opened, as an archive contains them:
//
//   offset  length  meaning
//        0       4  "KTV1"
//        4          the values by kind and then by name, in the order of their bytes, each:
//
//        0       1  length k of the kind
//        1       k  kind, lower-case letters
//    1 + k       1  length m of the name
//    2 + k       m  name
//  2+k + m       4  length n of the value, big endian
//  6+k + m       n  value
//
// The value of the kind `store` belongs to the file and is not among them. Kind and name of a value are those of no other
// one, so the same values always have the same bytes.

/// All values of a session store, opened, in guarded memory.
package final class ExportedValues: Sendable {
    /// Most values that are read.
    package static let maxCount = 2_000_000
    private static let magic = Array("KTV1".utf8)
    /// Length of a value without kind, name and content.
    private static let overhead = 6

    /// How many values there are.
    package let count: Int
    private let bytes: SecureBytes

    private init(_ bytes: consuming SecureBytes, count: Int) {
        self.bytes = bytes
        self.count = count
    }

    /// Parses and copies what `withBytes` lends.
    /// - Parameter bytes: the caller wipes them.
    /// - Throws: `.malformed`, `.unknownForm`, `.tooMany`.
    package convenience init(_ bytes: Span<UInt8>) throws(ExportError) {
        var position = try Self.start(of: bytes)
        var former: Row?
        var count = 0
        while position < bytes.count {
            guard let row = Row(bytes, at: position), former.map({ $0.isBefore(row, in: bytes) }) ?? true else {
                throw .malformed(offset: position)
            }
            count += 1
            guard count <= Self.maxCount else { throw .tooMany(limit: Self.maxCount) }
            position = row.value.upperBound
            former = row
        }
        self.init(SecureBytes(copying: bytes), count: count)
    }

    private static func start(of bytes: Span<UInt8>) throws(ExportError) -> Int {
        guard bytes.count >= magic.count, (0..<3).allSatisfy({ bytes[$0] == magic[$0] }) else {
            throw .malformed(offset: 0)
        }
        guard bytes[3] == magic[3] else { throw .unknownForm(bytes[3]) }
        return magic.count
    }

    /// Length in bytes.
    package var byteCount: Int { bytes.count }

    /// Lends the bytes, with everything that is secret in the values.
    package func withBytes<Result: ~Copyable, E>(_ body: (Span<UInt8>) throws(E) -> Result) throws(E) -> Result {
        try bytes.withBytes(body)
    }

    /// Lends each value, in their order.
    func forEach<E>(_ body: (ValueKind, [UInt8], Span<UInt8>) throws(E) -> Void) throws(E) {
        try bytes.withBytes { (bytes) throws(E) in
            var position = Self.magic.count
            // The bytes were parsed before.
            while let row = Row(bytes, at: position) {
                try body(row.kind(in: bytes), row.name(in: bytes), bytes.extracting(row.value))
                position = row.value.upperBound
            }
        }
    }

    /// Where the parts of a value are.
    private struct Row {
        let kind: Range<Int>
        let name: Range<Int>
        let value: Range<Int>

        /// - Returns: nil for anything that no store contains.
        init?(_ bytes: Span<UInt8>, at position: Int) {
            func part(_ start: Int, width: Int) -> Range<Int>? {
                guard bytes.count - start >= width else { return nil }
                let count = (start..<start + width).reduce(0) { $0 << 8 | Int(bytes[$1]) }
                guard bytes.count - start - width >= count else { return nil }
                return start + width..<start + width + count
            }
            guard let kind = part(position, width: 1), let name = part(kind.upperBound, width: 1), !name.isEmpty,
                let value = part(name.upperBound, width: 4), value.count <= OpenSessionStore.maxValueBytes
            else { return nil }
            self.kind = kind
            self.name = name
            self.value = value
            guard let known = ValueKind(bytes.extracting(kind).revealBytes()), known != StorePlace.kind else {
                return nil
            }
        }

        func kind(in bytes: Span<UInt8>) -> ValueKind { ValueKind(bytes.extracting(kind).revealBytes())! }

        func name(in bytes: Span<UInt8>) -> [UInt8] { bytes.extracting(name).revealBytes() }

        func isBefore(_ other: Row, in bytes: Span<UInt8>) -> Bool {
            let order = Self.compare(kind, other.kind, in: bytes)
            return order < 0 || order == 0 && Self.compare(name, other.name, in: bytes) < 0
        }

        /// - Returns: less than 0 if the first comes before the second, 0 if they are equal.
        private static func compare(_ one: Range<Int>, _ other: Range<Int>, in bytes: Span<UInt8>) -> Int {
            for (left, right) in zip(one, other) where bytes[left] != bytes[right] {
                return Int(bytes[left]) - Int(bytes[right])
            }
            return one.count - other.count
        }
    }
}

extension ExportedValues {
    /// Collects values in any order.
    struct Builder: ~Copyable {
        private let limit: Int
        private var buffer = SecureBuffer(capacity: 4096)
        private var starts: [Int] = []

        /// - Parameter limit: longest result in bytes, 4 at least.
        init(limit: Int) {
            self.limit = limit
            buffer.append(ExportedValues.magic.span)
        }

        /// - Parameter named: length of the name (1 byte), the name, the value.
        /// - Throws: `.tooLong`, `.tooMany`.
        mutating func add(_ kind: ValueKind, _ named: borrowing SecureBytes) throws(ExportError) {
            let kind = Array(kind.text.utf8)
            let count = ExportedValues.overhead - 1 + kind.count + named.count
            guard starts.count < ExportedValues.maxCount else { throw .tooMany(limit: ExportedValues.maxCount) }
            guard count <= limit - buffer.count else { throw .tooLong(limit: limit) }
            buffer.reserve(buffer.count + count, limit: limit)
            starts.append(buffer.count)
            buffer.append(UInt8(kind.count))
            buffer.append(kind.span)
            named.withBytes { named in
                let nameEnd = 1 + Int(named[0])
                buffer.append(named.extracting(first: nameEnd))
                for shift in [24, 16, 8, 0] {
                    buffer.append(UInt8(truncatingIfNeeded: (named.count - nameEnd) >> shift))
                }
                buffer.append(named.extracting(nameEnd..<named.count))
            }
        }

        /// The values in their order.
        consuming func finish() -> ExportedValues {
            let starts = starts
            let unsorted = buffer.finish()
            var sorted = SecureBuffer(capacity: unsorted.count)
            unsorted.withBytes { bytes in
                var rows = starts.map { Row(bytes, at: $0)! }
                rows.sort { $0.isBefore($1, in: bytes) }
                sorted.append(bytes.extracting(first: ExportedValues.magic.count))
                for row in rows { sorted.append(bytes.extracting(row.kind.lowerBound - 1..<row.value.upperBound)) }
            }
            return ExportedValues(sorted.finish(), count: starts.count)
        }
    }
}

/// Why values were not exported, or not read.
package enum ExportError: Error, Equatable, Sendable {
    /// The value at this offset is malformed, in the wrong order, or there twice.
    case malformed(offset: Int)
    /// They are of a later version; the byte that tells it.
    case unknownForm(UInt8)
    /// There are more values than may be.
    case tooMany(limit: Int)
    /// They are longer than this many bytes.
    case tooLong(limit: Int)
}
