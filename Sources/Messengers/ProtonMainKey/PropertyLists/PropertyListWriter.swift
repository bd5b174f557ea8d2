internal import SecureMemory

/// Makes a binary property list, byte for byte as Python's plistlib does, and Foundation but for the order of a
/// dictionary's keys: equal strings, numbers and data are written once, dictionaries in the order of their keys.
///
/// Values are made from the inside: first the elements, then the array. `finish` takes the outermost one.
public struct PropertyListWriter: ~Copyable {
    /// A value of one writer.
    public struct Value: Hashable, Sendable {
        let number: Int
    }

    private typealias Node = PropertyListOrder.Node

    private static let maxBufferCount = 4 * PropertyList.maxCount
    private var buffer = SecureBuffer(capacity: 256)
    private var nodes: [Node] = []
    /// How many arrays and dictionaries are in each other, for each node.
    private var heights: [Int] = []
    private var references = 0

    /// Begins a list without values.
    public init() {}

    /// A string.
    /// - Parameter text: UTF-8.
    /// - Throws: `.invalidText`, `.tooLong`, `.tooManyObjects`.
    public mutating func string(_ text: Span<UInt8>) throws(PropertyListError) -> Value {
        guard let text = try? UTF8Span(validating: text) else { throw .invalidText }
        if text.isKnownASCII || text.span.isASCII { return try bytes(0x50, .ascii, text.span) }
        var units = 0
        var characters = text.makeUnicodeScalarIterator()
        while let character = characters.next() { units += UTF16.width(character) }
        let place = try begin(0x60, count: 2 * units, length: units)
        characters = text.makeUnicodeScalarIterator()
        while let character = characters.next()?.value {
            if character < 0x1_0000 {
                buffer.append(bigEndian: UInt64(character), count: 2)
            } else {
                buffer.append(bigEndian: UInt64(0xd800 + (character - 0x1_0000) >> 10), count: 2)
                buffer.append(bigEndian: UInt64(0xdc00 + character & 0x3ff), count: 2)
            }
        }
        return try end(.utf16, place)
    }

    /// Data.
    /// - Throws: `.tooLong`, `.tooManyObjects`.
    public mutating func data(_ data: Span<UInt8>) throws(PropertyListError) -> Value {
        try bytes(0x40, .data, data)
    }

    /// An integer.
    /// - Throws: `.integerOutOfRange`, `.tooLong`, `.tooManyObjects`.
    public mutating func integer(_ number: Int128) throws(PropertyListError) -> Value {
        guard PropertyList.integers.contains(number) else { throw .integerOutOfRange }
        let size =
            switch number {
            case 0..<1 << 8: 0
            case 0..<1 << 16: 1
            case 0..<1 << 32: 2
            case ..<(1 << 63): 3
            default: 4
            }
        let place = try begin(0x10 | UInt8(size), count: 1 << size)
        if size == 4 { buffer.append(bigEndian: 0, count: 8) }
        buffer.append(bigEndian: UInt64(truncatingIfNeeded: number), count: min(8, 1 << size))
        return try end(.integer, place)
    }

    /// A real number.
    /// - Throws: `.tooLong`, `.tooManyObjects`.
    public mutating func real(_ number: Double) throws(PropertyListError) -> Value {
        let place = try begin(0x23, count: 8)
        buffer.append(bigEndian: number.bitPattern, count: 8)
        return try end(.real, place)
    }

    /// A date.
    /// - Parameter seconds: since the beginning of 2001 (UTC).
    /// - Throws: `.tooLong`, `.tooManyObjects`.
    public mutating func date(_ seconds: Double) throws(PropertyListError) -> Value {
        let place = try begin(0x33, count: 8)
        buffer.append(bigEndian: seconds.bitPattern, count: 8)
        return try end(.date, place)
    }

    /// A truth value.
    /// - Throws: `.tooLong`, `.tooManyObjects`.
    public mutating func bool(_ value: Bool) throws(PropertyListError) -> Value {
        try end(.bool(value), try begin(value ? 9 : 8, count: 0))
    }

    /// An array.
    /// - Throws: `.tooLong`, `.tooManyObjects`, `.tooDeep`.
    public mutating func array(_ elements: [Value]) throws(PropertyListError) -> Value {
        try container(.array(elements.map(\.number)), elements.map(\.number))
    }

    /// A dictionary.
    /// - Throws: `.keyNotText`, `.duplicateKey`, `.tooLong`, `.tooManyObjects`, `.tooDeep`.
    public mutating func dictionary(_ members: [(key: Value, value: Value)]) throws(PropertyListError) -> Value {
        var keys: [(object: PropertyListLayout.Object, index: Int)] = []
        for (index, member) in members.enumerated() {
            guard case .scalar(let object, _) = nodes[member.key.number], object.kind == .ascii || object.kind == .utf16
            else { throw .keyNotText }
            keys.append((object, index))
        }
        try buffer.withBytes { (list) throws(PropertyListError) in
            // The texts are valid: `string` has written them.
            keys.sort { ((try? PropertyListText.order($0.object, $1.object, in: list)) ?? 0) < 0 }
            for (left, right) in zip(keys, keys.dropFirst()) {
                guard try PropertyListText.order(left.object, right.object, in: list) != 0 else { throw .duplicateKey }
            }
        }
        let numbers = keys.map { members[$0.index].key.number } + keys.map { members[$0.index].value.number }
        return try container(.dictionary(numbers), numbers)
    }

    /// Writes the list.
    /// - Parameter root: the outermost value. What it does not contain is not written.
    /// - Throws: `.tooLong`, `.tooManyObjects`, `.tooDeep`, `.expandsTooFar`.
    public consuming func finish(_ root: Value) throws(PropertyListError) -> PropertyList {
        let order = buffer.withBytes { PropertyListOrder(of: nodes, from: root.number, in: $0) }
        let referenceCount = Self.size(order.count)
        var count = PropertyListLayout.header.count
        var offsets: [Int] = []
        for node in order.nodes {
            offsets.append(count)
            switch nodes[node] {
            case .scalar(_, let range): count += range.count
            case .array(let numbers):
                count += 1 + Self.lengthCount(numbers.count) + numbers.count * referenceCount
            case .dictionary(let numbers):
                count += 1 + Self.lengthCount(numbers.count / 2) + numbers.count * referenceCount
            }
        }
        let offsetCount = Self.size(count)
        let total = count + order.count * offsetCount + PropertyListLayout.trailerCount
        guard total <= PropertyList.maxCount else { throw .tooLong(limit: PropertyList.maxCount) }
        var list = SecureBuffer(capacity: total)
        let header = PropertyListLayout.header
        list.append(header.span)
        for node in order.nodes {
            switch nodes[node] {
            case .scalar(_, let range): buffer.withBytes { list.append($0.extracting(range)) }
            case .array(let numbers):
                list.append(marker: 0xa0, length: numbers.count)
                for number in numbers { list.append(bigEndian: UInt64(order.number[number]), count: referenceCount) }
            case .dictionary(let numbers):
                list.append(marker: 0xd0, length: numbers.count / 2)
                for number in numbers { list.append(bigEndian: UInt64(order.number[number]), count: referenceCount) }
            }
        }
        for offset in offsets { list.append(bigEndian: UInt64(offset), count: offsetCount) }
        list.append(bigEndian: 0, count: 6)
        list.append(UInt8(offsetCount))
        list.append(UInt8(referenceCount))
        list.append(bigEndian: UInt64(order.count), count: 8)
        list.append(bigEndian: 0, count: 8)
        list.append(bigEndian: UInt64(count), count: 8)
        return try PropertyList(reading: list.finish())
    }

    // MARK: Values

    private mutating func bytes(
        _ marker: UInt8, _ kind: PropertyListLayout.Kind, _ bytes: Span<UInt8>
    ) throws(PropertyListError) -> Value {
        let place = try begin(marker, count: bytes.count, length: bytes.count)
        buffer.append(bytes)
        return try end(kind, place)
    }

    /// Writes a marker and makes room for the payload.
    /// - Parameters:
    ///   - count: of the payload, in bytes.
    ///   - length: what the marker says; nil if the marker is complete.
    /// - Returns: where the object and its payload begin.
    private mutating func begin(
        _ marker: UInt8, count: Int, length: Int? = nil
    ) throws(PropertyListError) -> (object: Int, payload: Int) {
        let start = buffer.count
        let wanted = 1 + (length.map(Self.lengthCount) ?? 0) + count
        guard wanted <= Self.maxBufferCount - start else { throw .tooLong(limit: PropertyList.maxCount) }
        buffer.reserve(start + wanted, limit: Self.maxBufferCount)
        if let length { buffer.append(marker: marker, length: length) } else { buffer.append(marker) }
        return (start, buffer.count)
    }

    private mutating func end(
        _ kind: PropertyListLayout.Kind, _ place: (object: Int, payload: Int)
    ) throws(PropertyListError) -> Value {
        let object = PropertyListLayout.Object(kind: kind, start: place.payload, count: buffer.count - place.payload)
        return try add(.scalar(object, place.object..<buffer.count), height: 0)
    }

    private mutating func container(_ node: Node, _ numbers: [Int]) throws(PropertyListError) -> Value {
        references += numbers.count
        guard references <= PropertyList.maxCount else { throw .tooLong(limit: PropertyList.maxCount) }
        let height = numbers.reduce(1) { max($0, heights[$1] + 1) }
        guard height <= PropertyList.maxDepth else { throw .tooDeep(limit: PropertyList.maxDepth) }
        return try add(node, height: height)
    }

    private mutating func add(_ node: Node, height: Int) throws(PropertyListError) -> Value {
        // Equal values are written once, so there may be more of them than objects.
        guard nodes.count < PropertyList.maxCount else { throw .tooManyObjects(limit: PropertyList.maxObjects) }
        nodes.append(node)
        heights.append(height)
        return Value(number: nodes.count - 1)
    }

    // MARK: Numbers

    /// Bytes of a number that is at most `number`.
    private static func size(_ number: Int) -> Int { number < 1 << 8 ? 1 : number < 1 << 16 ? 2 : 4 }

    /// Bytes of a length behind the marker.
    private static func lengthCount(_ length: Int) -> Int { length < 15 ? 0 : 1 + size(length) }
}

extension SecureBuffer {
    /// Appends a number, `count` bytes.
    mutating func append(bigEndian number: UInt64, count: Int) {
        for index in (0..<count).reversed() { append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(index)))) }
    }

    /// Appends a marker with a length.
    mutating func append(marker: UInt8, length: Int) {
        guard length >= 15 else { return append(marker | UInt8(length)) }
        append(marker | 15)
        let size = length < 1 << 8 ? 0 : length < 1 << 16 ? 1 : 2
        append(0x10 | UInt8(size))
        append(bigEndian: UInt64(length), count: 1 << size)
    }
}

extension Span where Element == UInt8 {
    /// Whether all bytes are below 128.
    var isASCII: Bool {
        for index in indices where self[index] >= 0x80 { return false }
        return true
    }
}
