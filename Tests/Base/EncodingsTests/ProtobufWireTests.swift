import Encodings
import SecureMemory
import Testing
import VectorKit

@Suite struct ProtobufWireTests {
    /// Reads a whole message.
    private func fields(_ message: [UInt8]) throws -> [ProtobufWire.Field] {
        var fields: [ProtobufWire.Field] = []
        var position = 0
        while let field = try ProtobufWire.next(message.span, at: &position) { fields.append(field) }
        #expect(position == message.count)
        return fields
    }

    @Test func `nothing has no fields`() throws {
        #expect(try fields([]) == [])
    }

    @Test func `the specification's examples`() throws {
        #expect(try fields([0x08, 0x96, 0x01]) == [.varint(number: 1, 150)])
        #expect(try fields([0x12, 0x07] + Array("testing".utf8)) == [.bytes(number: 2, 2..<9)])
    }

    @Test(arguments: [
        ("00", 0), ("01", 1), ("7f", 127), ("8001", 128), ("ff7f", 16383), ("808001", 16384),
        ("ffffffff0f", UInt64(UInt32.max)), ("8080808010", 1 << 32), ("ffffffffffffffff7f", UInt64(Int64.max)),
        ("80808080808080808001", 1 << 63), ("ffffffffffffffffff01", .max),
    ]) func `a varint has up to 64 bits`(_ hex: String, _ value: UInt64) throws {
        #expect(try fields([0x08] + [UInt8](hex: hex)!) == [.varint(number: 1, value)])
    }

    @Test(arguments: [
        ("8000", 0), ("8100", 1), ("80808000", 0), ("80808080808080808000", 0),
        ("ffffffff8f8080808000", UInt64(UInt32.max)),
    ]) func `a varint may be longer than it needs to be`(_ hex: String, _ value: UInt64) throws {
        #expect(try fields([0x08] + [UInt8](hex: hex)!) == [.varint(number: 1, value)])
    }

    @Test(arguments: [
        "ffffffffffffffffff02", "80808080808080808002", "ffffffffffffffffff7f", "8080808080808080808000",
        "ffffffffffffffffffff01", "80808080808080808080",
    ]) func `a varint over 64 bits or ten bytes is malformed`(_ hex: String) {
        #expect(throws: ProtobufError.malformed) { try fields([0x08] + [UInt8](hex: hex)!) }
        #expect(throws: ProtobufError.malformed) { try fields([0x0a] + [UInt8](hex: hex)!) }
        #expect(throws: ProtobufError.malformed) { try fields([UInt8](hex: hex)! + [0]) }
    }

    @Test func `every cut of a message is malformed or ends between fields`() throws {
        let message = [UInt8](hex: "08960112046162636418ffffffffffffffffff01a20602ffff")!
        #expect(
            try fields(message) == [
                .varint(number: 1, 150), .bytes(number: 2, 5..<9), .varint(number: 3, .max),
                .bytes(number: 100, 23..<25),
            ])
        let ends = [0, 3, 9, 20, 25]
        for count in 0..<message.count {
            let beginning = Array(message.prefix(count))
            if ends.contains(count) {
                #expect(try fields(beginning).count == ends.firstIndex(of: count))
            } else {
                #expect(throws: ProtobufError.malformed) { try fields(beginning) }
            }
        }
    }

    @Test(arguments: [
        "0a01", "0a0261", "0affffffff0f", "0affffffffffffffff7f", "0affffffffffffffffff01", "0a80808080808080808001",
    ])
    func `a length past the end is malformed`(_ hex: String) {
        #expect(throws: ProtobufError.malformed) { try fields([UInt8](hex: hex)!) }
    }

    @Test func `an empty bytes field stands where it stands`() throws {
        #expect(try fields([0x0a, 0x00, 0x12, 0x00]) == [.bytes(number: 1, 2..<2), .bytes(number: 2, 4..<4)])
    }

    @Test(arguments: [(1, 8), (5, 4)] as [(UInt8, Int)]) func `fixed numbers are read little-endian`(
        _ type: UInt8, _ width: Int
    ) throws {
        let number = (1...UInt8(width)).map { $0 | 0xf0 }
        let field =
            width == 8
            ? ProtobufWire.Field.fixed64(number: 1, 0xf8f7_f6f5_f4f3_f2f1) : .fixed32(number: 1, 0xf4f3_f2f1)
        #expect(try fields([0x08 | type] + number + [0x10, 7]) == [field, .varint(number: 2, 7)])
        for count in 0..<width {
            #expect(throws: ProtobufError.malformed) { try fields([0x08 | type] + number.prefix(count)) }
        }
    }

    @Test(arguments: [1, 300, UInt64.max]) func `a number that is written is read`(_ value: UInt64) throws {
        let length = ProtobufWire.encodedCount(number: 20, value: value)
        var buffer = SecureBuffer(capacity: length)
        ProtobufWire.append(value, number: 20, to: &buffer)
        let isFull = buffer.isFull
        #expect(isFull)
        let message = buffer.finish().copied
        #expect(try fields(message) == [.varint(number: 20, value)])
    }

    @Test(arguments: [0, 1, 0x0807_0605_0403_0201, UInt64.max]) func `a fixed number that is written is read`(
        _ value: UInt64
    ) throws {
        var buffer = SecureBuffer(capacity: ProtobufWire.fixed64Count(number: 20))
        ProtobufWire.appendFixed64(value, number: 20, to: &buffer)
        let isFull = buffer.isFull
        #expect(isFull)
        let message = buffer.finish().copied
        #expect(message.prefix(2) == [0xa1, 0x01])
        #expect(try fields(message) == [.fixed64(number: 20, value)])
    }

    @Test(arguments: [3, 4, 6, 7] as [UInt8]) func `groups and unknown wire types are refused`(_ type: UInt8) {
        // Whatever follows: as a varint, as a length, as a fixed number, as fields up to an end of group.
        for rest in ["", "00", "01", "0161", "0000000000000000", "00000000", "0800" + "0c", "0c"] {
            #expect(throws: ProtobufError.malformed) { try fields([0x08 | type] + [UInt8](hex: rest)!) }
        }
    }

    @Test func `field numbers are 1 to 2^29 - 1`() throws {
        for hex in ["0000", "0200", "800000", "8080808010" + "00", "ffffffffffffffffff01" + "00"] {
            #expect(throws: ProtobufError.malformed) { try fields([UInt8](hex: hex)!) }
        }
        #expect(try fields([UInt8](hex: "f8ffffff0f00")!) == [.varint(number: 1 << 29 - 1, 0)])
    }

    @Test(arguments: [1, 15, 16, 2047, 2048, 1 << 29 - 1]) func `what is written is read`(_ number: Int) throws {
        for count in [0, 1, 127, 128, 16383, 16384] {
            let content = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            let length = ProtobufWire.encodedCount(number: number, count: count)
            var buffer = SecureBuffer(capacity: length)
            ProtobufWire.append(content.span, number: number, to: &buffer)
            let isFull = buffer.isFull
            #expect(isFull)
            let message = buffer.finish().copied
            #expect(try fields(message) == [.bytes(number: number, length - count..<length)])
            #expect(Array(message.suffix(count)) == content)
        }
    }
}
