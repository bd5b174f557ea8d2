import Encodings
import SecureMemory
import Testing
import VectorKit

@Suite struct GzipDamageTests {
    private let content = Array("a backup that repeats, a backup that repeats".utf8)

    /// The content as it is stored here, and as gzip 1.12 compresses it (-9n).
    private var members: [[UInt8]] { [Gzip.store(content.span).copied, compressed] }
    private let compressed = [UInt8](
        hex: """
            1f8b08000000000002034b54484a4cce2e2d5028c9482c
            51284a2d484d2c29d65148c4260c00802b9c792c000000
            """)!

    @Test func `every truncation is refused`() throws {
        for member in members {
            for count in member.indices {
                let cut = Array(member.prefix(count))
                #expect(throws: GzipError.self, "\(count)") { try open(cut, limit: 1 << 20) }
            }
        }
    }

    @Test func `every bit flip is refused or means nothing`() throws {
        // FTEXT, the time, XFL and OS do not change what the content is. Nor do the bits that deflate skips:
        // up to the next byte behind a stored block's type, and behind the last code.
        let header = Set([24] + Array(32..<80))
        let padding = [Set(83..<88), Set(compressed.count * 8 - 69..<compressed.count * 8 - 64)]
        for (member, padding) in zip(members, padding) {
            for bit in 0..<member.count * 8 {
                var flipped = member
                flipped[bit / 8] ^= 1 << UInt8(bit % 8)
                if header.contains(bit) || padding.contains(bit) {
                    #expect(try open(flipped, limit: 1 << 20) == content, "\(bit)")
                } else {
                    #expect(throws: GzipError.self, "\(bit)") { try open(flipped, limit: 1 << 20) }
                }
            }
        }
    }

    @Test func `a wrong checksum and a wrong length are damaged`() throws {
        for var member in members {
            member[member.count - 8] ^= 1
            #expect(throws: GzipError.damaged) { try open(member, limit: 1000) }
            member[member.count - 8] ^= 1
            for length in [0, content.count - 1, content.count + 1, 1000] {
                member[member.count - 4] = UInt8(truncatingIfNeeded: length)
                member[member.count - 3] = UInt8(truncatingIfNeeded: length >> 8)
                #expect(throws: GzipError.damaged, "\(length)") { try open(member, limit: 1000) }
            }
        }
    }

    @Test func `a content at the limit opens, one over it does not`() throws {
        for member in members {
            #expect(try open(member, limit: content.count) == content)
            #expect(throws: GzipError.tooLarge(limit: content.count - 1)) { try open(member, limit: content.count - 1) }
            #expect(throws: GzipError.tooLarge(limit: 0)) { try open(member, limit: 0) }
        }
    }

    @Test func `the bomb of these tests is gzip`() throws {
        let bomb = GzipBomb(matches: 40)
        #expect(try GzipProgram.decompress(bomb.member(checksum: 0xda45_459b, count: bomb.count)).count == bomb.count)
    }

    @Test func `a bomb is refused at once`() throws {
        // 10 GiB of zeros in 65 MiB: to inflate them takes many seconds.
        let bomb = GzipBomb(matches: 41_617_901)
        #expect(bomb.count > 10 << 30)
        let honest = bomb.member(checksum: 0, count: bomb.count)
        let lying = bomb.member(checksum: 0, count: 1000)
        let clock = ContinuousClock()
        let time = clock.measure {
            #expect(throws: GzipError.tooLarge(limit: 8 << 20)) { try open(honest, limit: 8 << 20) }
            #expect(throws: GzipError.damaged) { try open(lying, limit: 8 << 20) }
        }
        #expect(time < .seconds(5))
    }

    private func open(_ member: [UInt8], limit: Int) throws -> [UInt8] {
        try Gzip.open(member.span, limit: limit).copied
    }
}

/// Zeros in one block of fixed Huffman codes: four literals, then matches of 258 bytes, 13 bits each.
private struct GzipBomb {
    private var deflated: [UInt8] = []
    private var bits = 0
    let count: Int

    init(matches: Int) {
        count = 4 + 258 * matches
        write("110")  // the last block, fixed codes
        for _ in 0..<4 { write("00110000") }
        // Eight matches are 13 bytes, whatever bit they start at: from the second such piece on, copies do.
        let unit = "11000101" + "00000"
        for _ in 0..<min(matches, 24) { write(unit) }
        if matches > 24 {
            let tail = bits % 8
            var period = Array(deflated.dropLast(tail > 0 ? 1 : 0).suffix(13))
            let last = tail > 0 ? deflated.removeLast() : 0
            let copies = (matches - 24) / 8
            while period.count < copies * 13 { period += period }
            deflated += period.prefix(copies * 13)
            if tail > 0 { deflated.append(last) }
            bits += copies * 104
            for _ in 0..<(matches - 24) % 8 { write(unit) }
        }
        write("0000000")  // the end of the block
    }

    func member(checksum: UInt32, count: Int) -> [UInt8] {
        let numbers = [checksum, UInt32(truncatingIfNeeded: count)].flatMap { number in
            (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
        }
        return [UInt8](hex: "1f8b0800000000000003")! + deflated + numbers
    }

    /// Bits in the order in which a reader meets them.
    private mutating func write(_ text: String) {
        for bit in text.utf8 {
            if bits % 8 == 0 { deflated.append(0) }
            if bit == UInt8(ascii: "1") { deflated[deflated.count - 1] |= 1 << UInt8(bits % 8) }
            bits += 1
        }
    }
}
