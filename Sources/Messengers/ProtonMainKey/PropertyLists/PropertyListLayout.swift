internal import SecureMemory

// A binary property list:
//
//   offset  length  meaning
//        0       8  `bplist00`
//        8       …  objects, in any order
//        …    n·o  offset of each object, big-endian
//   end-32       6  ignored
//      -26       1  o: size of an offset, 1...8
//      -25       1  r: size of a reference, 1...8
//      -24       8  n: number of objects
//      -16       8  number of the root
//       -8       8  offset of the offsets
//
// An object begins with a marker. `l` is a length below 15, or 15: then an integer with the length follows.
//
//   marker  payload
//       08  false
//       09  true
//       1k  integer of 2^k bytes, k 0...4, big-endian; those of 8 and 16 bytes have a sign
//   22, 23  real of 4 or 8 bytes
//       33  date: real of 8 bytes, seconds since the beginning of 2001
//       4l  data
//       5l  ASCII text
//       6l  text in UTF-16, big-endian; l counts units of 2 bytes
//       Al  array: l references
//       Dl  dictionary: l references to keys, then l to values

/// The places in a binary property list. It holds none of the contents.
struct PropertyListLayout: Sendable {
    static let header = Array("bplist00".utf8)
    static let trailerCount = 32

    enum Kind: Equatable, Sendable {
        case bool(Bool), integer, real, date, data, ascii, utf16, array, dictionary
    }

    /// An object that lies within the list.
    struct Object: Sendable {
        let kind: Kind
        /// Where the payload begins.
        let start: Int
        /// Length of the payload in bytes; of an array or dictionary, in elements.
        let count: Int
    }

    let offsetCount: Int
    let referenceCount: Int
    let objects: Int
    let root: Int
    /// Where the objects end.
    let end: Int

    /// Checks the length, the header and the trailer.
    init(_ list: Span<UInt8>) throws(PropertyListError) {
        guard list.count <= PropertyList.maxCount else { throw .tooLong(limit: PropertyList.maxCount) }
        guard list.count >= Self.header.count, Self.header.indices.allSatisfy({ list[$0] == Self.header[$0] })
        else { throw .notBinary }
        guard list.count > Self.header.count + Self.trailerCount else { throw .malformedTrailer }
        let trailer = list.count - Self.trailerCount
        offsetCount = Int(list[trailer + 6])
        referenceCount = Int(list[trailer + 7])
        let objects = list.bigEndian(at: trailer + 8, count: 8)
        let root = list.bigEndian(at: trailer + 16, count: 8)
        let table = list.bigEndian(at: trailer + 24, count: 8)
        guard (1...8).contains(offsetCount), (1...8).contains(referenceCount) else { throw .malformedTrailer }
        guard objects <= UInt64(PropertyList.maxObjects) else { throw .tooManyObjects(limit: PropertyList.maxObjects) }
        // An object has one byte or more. The table ends where the trailer begins.
        guard root < objects, table > UInt64(Self.header.count), table < UInt64(trailer),
            Int(table) + Int(objects) * offsetCount == trailer
        else { throw .malformedTrailer }
        self.objects = Int(objects)
        self.root = Int(root)
        end = Int(table)
    }

    /// Finds an object and checks that it lies within the list. Its references and its text are not checked.
    /// - Parameter number: below `objects`.
    func object(_ number: Int, in list: Span<UInt8>) throws(PropertyListError) -> Object {
        let offset = list.bigEndian(at: end + number * offsetCount, count: offsetCount)
        guard offset >= UInt64(Self.header.count), offset < UInt64(end) else { throw .malformedObject }
        let marker = list[Int(offset)]
        var start = Int(offset) + 1
        let low = Int(marker & 0x0f)
        switch marker >> 4 {
        case 0 where low == 8 || low == 9: return try object(.bool(low == 9), start, 0)
        case 1 where low <= 4: return try object(.integer, start, 1 << low)
        case 2 where low == 2 || low == 3: return try object(.real, start, 1 << low)
        case 3 where low == 3: return try object(.date, start, 8)
        case 4, 5, 6, 0xa, 0xd:
            let count = try length(low, &start, list)
            switch marker >> 4 {
            case 4: return try object(.data, start, count)
            case 5: return try object(.ascii, start, count)
            case 6: return try object(.utf16, start, 2 * count)
            case 0xa: return try object(.array, start, count)
            default: return try object(.dictionary, start, count)
            }
        default: throw .unsupportedObject(marker: marker)
        }
    }

    /// The number of the object to which a reference of an array or dictionary leads.
    /// - Parameter index: of an element; of a dictionary's value, after all keys.
    func reference(_ index: Int, of object: Object, in list: Span<UInt8>) throws(PropertyListError) -> Int {
        let number = list.bigEndian(at: object.start + index * referenceCount, count: referenceCount)
        guard number < UInt64(objects) else { throw .malformedObject }
        return Int(number)
    }

    /// The value of an integer.
    func integer(_ object: Object, in list: Span<UInt8>) throws(PropertyListError) -> Int128 {
        let low = list.bigEndian(at: object.start + max(0, object.count - 8), count: min(8, object.count))
        switch object.count {
        case 8: return Int128(Int64(bitPattern: low))
        case 16:
            let high = Int64(bitPattern: list.bigEndian(at: object.start, count: 8))
            let value = Int128(high) << 64 | Int128(low)
            guard PropertyList.integers.contains(value) else { throw .integerOutOfRange }
            return value
        default: return Int128(low)
        }
    }

    private func length(_ low: Int, _ start: inout Int, _ list: Span<UInt8>) throws(PropertyListError) -> Int {
        guard low == 15 else { return low }
        guard start < end, (0x10...0x13).contains(list[start]) else { throw .malformedObject }
        let size = 1 << Int(list[start] & 0x0f)
        start += 1
        guard size <= end - start else { throw .malformedObject }
        let count = list.bigEndian(at: start, count: size)
        start += size
        guard count <= UInt64(end) else { throw .malformedObject }
        return Int(count)
    }

    private func object(_ kind: Kind, _ start: Int, _ count: Int) throws(PropertyListError) -> Object {
        let bytes =
            switch kind {
            case .array: count * referenceCount
            case .dictionary: 2 * count * referenceCount
            default: count
            }
        guard bytes <= end - start else { throw .malformedObject }
        return Object(kind: kind, start: start, count: count)
    }
}

extension Span where Element == UInt8 {
    /// A number of up to 8 bytes.
    func bigEndian(at offset: Int, count: Int) -> UInt64 {
        var number: UInt64 = 0
        for index in offset..<offset + count { number = number << 8 | UInt64(self[index]) }
        return number
    }
}
