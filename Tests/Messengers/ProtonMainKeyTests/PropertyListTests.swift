import SecureMemory
import Testing
import VectorKit

@testable import ProtonMainKey

/// The limits of property lists, and what is refused.
@Suite struct PropertyListTests {
    /// A list of these objects, of which the first is the root.
    static func list(_ objects: [[UInt8]], referenceCount: Int = 1) -> [UInt8] {
        var list = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(list.count)
            list += object
        }
        let end = list.count
        for offset in offsets { list += number(offset, 3) }
        return list + [0, 0, 0, 0, 0, 0, 3, UInt8(referenceCount)] + number(objects.count, 8) + number(0, 8)
            + number(end, 8)
    }

    static func number(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private func error(_ list: [UInt8]) -> PropertyListError? {
        do throws(PropertyListError) {
            _ = try PropertyList(reading: secure(list))
            return nil
        } catch { return error }
    }

    @Test func `a list of one byte 32 times`() throws {
        // Published with the format's description.
        let key = try mainKey([UInt8](repeating: 7, count: 32))
        let expected = try #require(
            [UInt8](
                hex: "62706c6973743030 af1020" + String(repeating: "01", count: 32) + "1007 082b"
                    + "000000000000 01 01 0000000000000002 0000000000000000 000000000000002d"))
        #expect(MainKeyList.write(key).copied == expected)
        #expect(readMainKey(expected) == [UInt8](repeating: 7, count: 32))
    }

    @Test func `a MainKey is an array of 32 integers from 0 to 255`() {
        let references = [0xaf, 0x10, 32] + [UInt8](repeating: 1, count: 32)
        #expect(readMainKey(Self.list([references, [0x10, 7]])) == [UInt8](repeating: 7, count: 32))
        #expect(readMainKey(Self.list([references, [0x11, 0, 7]])) == [UInt8](repeating: 7, count: 32))
        #expect(readMainKey(Self.list([references, [0x13, 0, 0, 0, 0, 0, 0, 0, 255]])) != nil)
        for element: [UInt8] in [
            [0x11, 1, 0], [0x13] + [UInt8](repeating: 255, count: 8), [0x51, 0x37], [0x09], [0x41, 7],
            [0x23, 0x40, 0x1c, 0, 0, 0, 0, 0, 0],
        ] { #expect(readMainKey(Self.list([references, element])) == nil) }
        for count in [31, 33] {
            let other = [0xaf, 0x10, UInt8(count)] + [UInt8](repeating: 1, count: count)
            #expect(readMainKey(Self.list([other, [0x10, 7]])) == nil)
        }
        #expect(readMainKey(Self.list([[0x4f, 0x10, 32] + [UInt8](repeating: 1, count: 32)])) == nil)
        #expect(readMainKey([]) == nil && readMainKey(Array("bplist00".utf8)) == nil)
    }

    @Test func `XML and other beginnings are not read`() {
        for text in ["", "bplist0", "bplist01", "<?xml version=\"1.0\"?><plist><array/></plist>"] {
            #expect(error(Array(text.utf8) + [UInt8](repeating: 0, count: 60)) == .notBinary)
        }
        #expect(error(Array("bplist00".utf8)) == .malformedTrailer)
    }

    @Test func `the trailer has to fit`() {
        let good = Self.list([[0xa1, 1], [0x10, 7]])
        #expect(error(good) == nil)
        let trailer = good.count - 32
        func with(_ byte: UInt8, at offset: Int) -> [UInt8] {
            var list = good
            list[trailer + offset] = byte
            return list
        }
        for (byte, offset) in [
            (0, 6), (9, 6), (2, 6), (4, 6), (0, 7), (9, 7), (0, 15), (1, 15), (2, 23), (12, 31), (13, 31), (8, 31),
            (1, 24),
        ] as [(UInt8, Int)] {
            if good[trailer + offset] != byte { #expect(error(with(byte, at: offset)) == .malformedTrailer) }
        }
        #expect(error(with(1, at: 8)) == .tooManyObjects(limit: 4096))
        #expect(error(with(3, at: 15)) == .malformedTrailer)
        // The six bytes in front are for the writer's own use.
        #expect(error(with(1, at: 0)) == nil && error(with(1, at: 5)) == nil)
        #expect(error(good + [0]) != nil && error(Array(good.dropLast())) != nil)
    }

    @Test func `lengths`() {
        let rest = 8 + 5 + 3 + 32
        let longest = Self.list([
            [0x4f, 0x12] + Self.number(65_536 - rest - 1, 4) + [UInt8](repeating: 1, count: 65_536 - rest - 1)
        ])
        #expect(longest.count == 65_536 && error(longest) == nil)
        #expect(error(longest + [0]) == .tooLong(limit: 65_536))
    }

    @Test func `objects end with the list`() {
        for object: [UInt8] in [
            [0x41], [0x51], [0x61, 0], [0x11, 0], [0x13], [0x14, 0], [0x22, 0], [0x23, 0], [0x33, 0], [0xa1],
            [0xd1, 0],
            [0x4f], [0x4f, 0x11, 0], [0x4f, 0x20], [0x4f, 0x14], [0x5f, 0x13, 255, 255, 255, 255, 255, 255, 255, 255],
            [0xaf, 0x12, 0x7f, 255, 255, 255], [0xdf, 0x13, 0x7f, 255, 255, 255, 255, 255, 255, 255], [0xa1, 1],
        ] { #expect(error(Self.list([object])) == .malformedObject, "\(object)") }
        for marker: UInt8 in [
            0x00, 0x01, 0x0a, 0x0f, 0x15, 0x20, 0x24, 0x30, 0x34, 0x70, 0x80, 0x90, 0xb0, 0xc0, 0xe0, 0xf0,
        ] {
            #expect(error(Self.list([[marker]])) == .unsupportedObject(marker: marker))
        }
    }

    @Test func `text`() {
        #expect(error(Self.list([[0x51, 0x80]])) == .invalidText)
        for units: [UInt8] in [[0xd8, 0], [0xdc, 0], [0xd8, 0, 0, 0x41], [0xdc, 0, 0xd8, 0]] {
            #expect(error(Self.list([[0x60 | UInt8(units.count / 2)] + units])) == .invalidText)
        }
        #expect(error(Self.list([[0x62, 0xd8, 0x3d, 0xde, 0]])) == nil)
    }

    @Test func `keys are different texts`() {
        #expect(error(Self.list([[0xd1, 1, 1], [0x10, 1]])) == .keyNotText)
        #expect(error(Self.list([[0xd2, 1, 2, 1, 2], [0x51, 0x61], [0x51, 0x62]])) == nil)
        // Equal ones may differ in their form.
        #expect(error(Self.list([[0xd2, 1, 2, 1, 2], [0x51, 0x61], [0x61, 0, 0x61]])) == .duplicateKey)
    }

    @Test func `integers of 16 bytes`() throws {
        let zeros = [UInt8](repeating: 0, count: 8)
        let ones = [UInt8](repeating: 255, count: 8)
        for (bytes, value) in [(zeros + ones, 1 << 64 - 1), (ones + [0x80] + zeros.dropLast(), -1 << 63)]
            as [([UInt8], Int128)]
        {
            let list = try PropertyList(reading: secure(Self.list([[0x14] + bytes])))
            #expect(list.revealInteger(list.root) == value)
        }
        #expect(error(Self.list([[0x14, 0, 0, 0, 0, 0, 0, 0, 1] + zeros])) == .integerOutOfRange)
        #expect(error(Self.list([[0x14] + ones + [0x7f] + ones.dropLast()])) == .integerOutOfRange)
    }

    @Test func `16 arrays in each other`() {
        func nested(_ count: Int) -> [UInt8] {
            Self.list((1...count).map { [0xa1, UInt8($0)] } + [[0x09]])
        }
        #expect(error(nested(16)) == nil)
        #expect(error(nested(17)) == .tooDeep(limit: 16))
        // The deep part was looked at before, at a lower depth.
        let shared: [[UInt8]] = [[0xa2, 1, 2]] + (2...15).map { [0xa1, UInt8($0)] } + [[0xa1, 1]]
        #expect(error(Self.list(shared)) == .cycle)
        let late: [[UInt8]] = [[0xa2, 2, 1], [0xa1, 2]] + (3...16).map { [0xa1, UInt8($0)] } + [[0x09]]
        #expect(error(Self.list(late)) == nil)
        let tooLate: [[UInt8]] = [[0xa2, 2, 1], [0xa1, 2]] + (3...17).map { [0xa1, UInt8($0)] } + [[0x09]]
        #expect(error(Self.list(tooLate)) == .tooDeep(limit: 16))
    }

    @Test func `a value does not contain itself`() {
        #expect(error(Self.list([[0xa1, 0]])) == .cycle)
        #expect(error(Self.list([[0xa1, 1], [0xd1, 2, 0], [0x51, 0x61]])) == .cycle)
    }

    @Test func `shared values are counted wherever they are used`() {
        // 15 arrays of 14 times the next one: 14 to the 15th values in 250 bytes.
        let bomb = (1...15).map { [0xae] + [UInt8](repeating: UInt8($0), count: 14) } + [[0x09]]
        #expect(error(Self.list(bomb)) == .expandsTooFar(limit: 1 << 20))
        // One long string, often.
        let text = [0x5f, 0x11] + Self.number(20_000, 2) + [UInt8](repeating: 0x61, count: 20_000)
        for (times, expected) in [(52, nil), (53, .expandsTooFar(limit: 1 << 20))] as [(Int, PropertyListError?)] {
            #expect(
                error(Self.list([[0xaf, 0x10, UInt8(times)] + [UInt8](repeating: 1, count: times), text])) == expected)
        }
    }

    @Test func `4096 objects`() {
        func many(_ count: Int) -> [UInt8] {
            let root = [0xaf, 0x11] + Self.number(count - 1, 2) + (1..<count).flatMap { Self.number($0, 2) }
            return Self.list([root] + (1..<count).map { [0x11] + Self.number($0, 2) }, referenceCount: 2)
        }
        #expect(error(many(4096)) == nil)
        #expect(error(many(4097)) == .tooManyObjects(limit: 4096))
    }

    @Test func `the writer refuses what the reader would`() throws {
        func error(_ work: (inout PropertyListWriter) throws(PropertyListError) -> PropertyListWriter.Value)
            -> PropertyListError?
        {
            var writer = PropertyListWriter()
            do throws(PropertyListError) {
                let root = try work(&writer)
                _ = try writer.finish(root)
                return nil
            } catch { return error }
        }
        let long = [UInt8](repeating: 1, count: 65_536)
        #expect(error { (writer) throws(PropertyListError) in try writer.data(long.span) } == .tooLong(limit: 65_536))
        let invalid: [UInt8] = [0xc3]
        #expect(error { (writer) throws(PropertyListError) in try writer.string(invalid.span) } == .invalidText)
        #expect(error { (writer) throws(PropertyListError) in try writer.integer(1 << 64) } == .integerOutOfRange)
        #expect(
            error { (writer) throws(PropertyListError) in
                var value = try writer.bool(true)
                for _ in 0..<17 { value = try writer.array([value]) }
                return value
            } == .tooDeep(limit: 16))
        #expect(
            error { (writer) throws(PropertyListError) in
                let key = try writer.integer(1)
                return try writer.dictionary([(key, key)])
            } == .keyNotText)
        #expect(
            error { (writer) throws(PropertyListError) in
                let text = Array("a".utf8)
                let (key, same) = (try writer.string(text.span), try writer.string(text.span))
                return try writer.dictionary([(key, key), (same, key)])
            } == .duplicateKey)
        #expect(
            error { (writer) throws(PropertyListError) in
                var numbers: [PropertyListWriter.Value] = []
                for number in 0..<4096 { numbers.append(try writer.integer(Int128(number))) }
                return try writer.array(numbers)
            } == .tooManyObjects(limit: 4096))
        // Equal numbers are one object.
        #expect(
            error { (writer) throws(PropertyListError) in
                var numbers: [PropertyListWriter.Value] = []
                for number in 0..<30_000 { numbers.append(try writer.integer(Int128(number % 4))) }
                return try writer.array(numbers)
            } == nil)
    }
}
