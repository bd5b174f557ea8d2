import Foundation
import Testing
import VectorKit

@testable import ThreemaWeb

@Suite struct MessagePackTests {
    private let limits = MessagePackLimits(bytes: 1 << 20, depth: 4, values: 100)

    private func read(_ bytes: [UInt8]) throws -> MessagePackValue {
        try MessagePackValue(decoding: bytes.span, limits: limits)
    }

    @Test(
        arguments: [
            ("c0", .null), ("c2", .bool(false)), ("c3", .bool(true)), ("00", .unsigned(0)), ("7f", .unsigned(127)),
            ("cc80", .unsigned(128)), ("ccff", .unsigned(255)), ("cd0100", .unsigned(256)),
            ("cdffff", .unsigned(65_535)),
            ("ce00010000", .unsigned(65_536)), ("ceffffffff", .unsigned(0xffff_ffff)),
            ("cf0000000100000000", .unsigned(1 << 32)), ("cfffffffffffffffff", .unsigned(.max)),
            ("ff", .negative(-1)), ("e0", .negative(-32)), ("d0df", .negative(-33)), ("d080", .negative(-128)),
            ("d1ff7f", .negative(-129)), ("d18000", .negative(-32_768)), ("d2ffff7fff", .negative(-32_769)),
            ("d280000000", .negative(-0x8000_0000)), ("d3ffffffff7fffffff", .negative(-0x8000_0001)),
            ("d38000000000000000", .negative(.min)), ("ca3fc00000", .float(1.5)), ("cb3ff8000000000000", .double(1.5)),
            ("a0", .text("")), ("a2c3a4", .text("ä")), ("c400", .bytes([])), ("c403010203", .bytes([1, 2, 3])),
            ("90", .array([])), ("92c0c3", .array([.null, .bool(true)])), ("80", .map([])),
            ("81a16101", .map([.init("a", .unsigned(1))])), ("d40507", .extended(5, [7])),
            ("d8fe" + String(repeating: "00", count: 16), .extended(-2, [UInt8](repeating: 0, count: 16))),
            ("c70305010203", .extended(5, [1, 2, 3])),
        ] as [(String, MessagePackValue)])
    func `a value and its shortest form`(_ hex: String, _ value: MessagePackValue) throws {
        let bytes = [UInt8](hex: hex)!
        #expect(value.encoded == bytes)
        #expect(try read(bytes) == value)
    }

    @Test(
        arguments: [
            ("cc00", .unsigned(0)), ("cf0000000000000001", .unsigned(1)), ("d001", .unsigned(1)),
            ("d1ffff", .negative(-1)),
            ("d90161", .text("a")), ("db0000000161", .text("a")), ("c50001ff", .bytes([255])),
            ("dc0001c0", .array([.null])),
            ("df00000001c0c0", .map([.init(.null, .null)])), ("c9000000010507", .extended(5, [7])),
        ] as [(String, MessagePackValue)])
    func `longer forms are read`(_ hex: String, _ value: MessagePackValue) throws {
        #expect(try read([UInt8](hex: hex)!) == value)
    }

    @Test func `lengths change form at their limits`() throws {
        for count in [31, 32, 255, 256, 65_535, 65_536] {
            let (text, bytes) = (String(repeating: "x", count: count), [UInt8](repeating: 7, count: count))
            let textHeader = count < 32 ? 1 : count < 256 ? 2 : count < 65_536 ? 3 : 5
            let bytesHeader = count < 256 ? 2 : count < 65_536 ? 3 : 5
            for (value, header) in [
                (.text(text), textHeader), (.bytes(bytes), bytesHeader), (.extended(1, bytes), bytesHeader + 1),
            ] as [(MessagePackValue, Int)] {
                #expect(value.encoded.count == header + count)
                #expect(try read(value.encoded) == value)
            }
        }
        let wide = MessagePackLimits(bytes: 1 << 20, depth: 4, values: 200_000)
        for count in [15, 16, 65_535, 65_536] {
            let header = count < 16 ? 1 : count < 65_536 ? 3 : 5
            let array = MessagePackValue.array([MessagePackValue](repeating: .null, count: count))
            let map = MessagePackValue.map([MessagePackValue.Member](repeating: .init(.null, .null), count: count))
            #expect(array.encoded.count == header + count && map.encoded.count == header + 2 * count)
            for value in [array, map] {
                #expect(try MessagePackValue(decoding: value.encoded.span, limits: wide) == value)
            }
        }
    }

    @Test(
        arguments: [
            ("", .truncated), ("cc", .truncated), ("cb00", .truncated), ("a1", .truncated),
            ("dbffffffff", .truncated), ("c6ffffffff00", .truncated), ("c9ffffffff0000", .truncated),
            ("c7", .truncated),
            ("9a00", .truncated), ("81c0", .truncated), ("dd7fffffff00", .tooManyValues(limit: 100)),
            ("dfffffffff00", .tooManyValues(limit: 100)), ("c1", .reservedType), ("91c1", .reservedType),
            ("a1ff", .notUTF8), ("a2c0af", .notUTF8), ("c0c0", .trailingBytes(1)), ("9191919190", .tooDeep(limit: 4)),
            ("81c081c081c081c080", .tooDeep(limit: 4)),
        ] as [(String, MessagePackError)])
    func `what is refused`(_ hex: String, _ error: MessagePackError) {
        #expect(throws: error) { try read([UInt8](hex: hex)!) }
    }

    @Test func `the limits of a reader`() throws {
        let array = { (count: Int) in MessagePackValue.array([MessagePackValue](repeating: .null, count: count)).encoded
        }
        #expect(try read(array(99)) != .null)
        #expect(throws: MessagePackError.tooManyValues(limit: 100)) { try read(array(100)) }
        #expect(throws: MessagePackError.tooManyValues(limit: 100)) {
            try read(
                MessagePackValue.map([.init("a", .array([MessagePackValue](repeating: .null, count: 98)))]).encoded)
        }
        #expect(try read([0x91, 0x91, 0x91, 0x90]) != .null)
        let long = [0xc6, 0, 0x10, 0, 0] + [UInt8](repeating: 0, count: 1 << 20)
        #expect(throws: MessagePackError.tooLong(limit: 1 << 20, actual: 5 + (1 << 20))) { try read(long) }
    }

    @Test func `random bytes are read or refused, and what is read is written again`() throws {
        let random = SeededRandom(seed: 7)
        var readCount = 0
        for _ in 0..<50_000 {
            let bytes = (0..<random.number(below: 24)).map { _ in UInt8(random.number(below: 256)) }
            guard let value = try? read(bytes) else { continue }
            readCount += 1
            let written = value.encoded
            #expect(written.count <= bytes.count)
            // NaN is not equal to itself, but has its bytes.
            #expect(try read(written).encoded == written)
        }
        #expect(readCount > 1000)
    }
}

/// The values as another implementation has them (u-msgpack-python, MIT), which the server uses, too.
@Suite struct OtherMessagePackTests {
    private static let python = InstalledPython("saltyrtc")

    private func run(_ source: String, reading lines: [String] = []) throws -> [String] {
        let output = try Self.python.run(source, reading: lines.map { Data($0.utf8) })
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func value(_ random: SeededRandom, _ depth: Int) -> MessagePackValue {
        let width = UInt64(random.number(below: 64))
        let content = (0..<random.number(below: 300)).map { _ in UInt8(random.number(below: 256)) }
        switch random.number(below: depth > 3 ? 7 : 9) {
        case 0: return .null
        case 1: return .bool(random.number(below: 2) == 1)
        case 2: return .unsigned(random.next() >> width)
        case 3: return .negative(-1 - Int64(random.next() >> 1) >> Int64(width))
        case 4: return .double(Double(random.number(below: 1 << 40)) / 1024)
        case 5:
            return .text(String(repeating: ["a", "ä", "字", "😀"][random.number(below: 4)], count: content.count / 4))
        case 6: return content.count % 3 == 0 ? .extended(Int8(random.number(below: 128)), content) : .bytes(content)
        case 7: return .array((0..<random.number(below: 20)).map { _ in value(random, depth + 1) })
        default: return .map((0..<random.number(below: 20)).map { .init("n\($0)", value(random, depth + 1)) })
        }
    }

    @Test func `it reads what is written here, and writes the same bytes`() throws {
        let random = SeededRandom(seed: 11)
        let lines = (0..<1000).map { _ in value(random, 0).encoded.hex }
        let answers = try run(
            """
            import sys, umsgpack
            for line in sys.stdin:
                print(umsgpack.packb(umsgpack.unpackb(bytes.fromhex(line))).hex())
            """, reading: lines)
        #expect(answers == lines)
    }

    @Test func `what it writes is read here, and written the same`() throws {
        let lines = try run(
            """
            import random, umsgpack
            random.seed(5)
            def value(depth):
                kind = random.randrange(7 if depth > 3 else 9)
                if kind == 0: return random.choice([None, True, False])
                if kind == 1: return random.getrandbits(random.randrange(1, 65))
                if kind == 2: return -random.getrandbits(random.randrange(1, 64))
                if kind == 3: return random.gauss(0, 1e6)
                if kind == 4: return "".join(random.choices("abcäöü字😀", k=random.randrange(300)))
                if kind == 5: return random.randbytes(random.randrange(300))
                if kind == 6: return umsgpack.Ext(random.randrange(128), random.randbytes(random.randrange(1, 300)))
                if kind == 7: return [value(depth + 1) for _ in range(random.randrange(20))]
                return {f"n{each}": value(depth + 1) for each in range(random.randrange(20))}
            for _ in range(1000):
                print(umsgpack.packb(value(0)).hex())
            """)
        #expect(lines.count == 1000)
        for line in lines {
            let bytes = [UInt8](hex: line)!
            #expect(try MessagePackValue(decoding: bytes.span, limits: .task).encoded == bytes)
        }
    }
}
