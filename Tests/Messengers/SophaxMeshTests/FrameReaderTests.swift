import Primitives
import SophaxChat
import SophaxKit
import Testing
import VectorKit

@testable import SophaxMesh

@Suite struct FrameReaderTests {
    @Test(arguments: try Vector.all(in: .sophaxChat, op: "tcp-frame-limit"))
    func `frame limits`(_ vector: Vector) throws {
        let prefix = try vector.inputs.bytes("prefix")
        var reader = FrameReader()
        if try vector.expected.string("result").hasPrefix("wait") {
            #expect(try reader.read(prefix.span) == [])
        } else {
            #expect(throws: FrameReader.Failure.tooLong(prefix.reduce(0) { $0 << 8 | UInt32($1) })) {
                try reader.read(prefix.span)
            }
        }
        #expect(reader.reserved == 0)
    }

    @Test(arguments: try Vector.all(in: .sophaxChat, op: "tcp-frame"))
    func `frames`(_ vector: Vector) throws {
        let content = [UInt8](repeating: 0, count: try vector.inputs.integer("payload_length"))
        let frame = try #require(FrameReader.frame(content))
        #expect(Array(frame.prefix(4)) == (try vector.expected.bytes("prefix")))
        #expect(SHA256.hash(frame.span) == (try vector.expected.bytes("frame_sha256")))
    }

    @Test func `a frame of 4 MiB, and one byte more`() throws {
        let content = [UInt8](repeating: 1, count: FrameReader.maxCount)
        let frame = try #require(FrameReader.frame(content))
        var reader = FrameReader()
        let (first, rest) = (Array(frame[..<100_000]), Array(frame[100_000...]))
        #expect(try reader.read(first.span) == [] && reader.reserved < 1 << 20)
        let frames = try reader.read(rest.span)
        #expect(frames == [content] && reader.buffered == 0)
        #expect(FrameReader.frame(content + [1]) == nil)
        let over: [UInt8] = [0x00, 0x40, 0x00, 0x01, 1, 2, 3]
        #expect(throws: FrameReader.Failure.tooLong(4_194_305)) { try reader.read(over.span) }
        #expect(throws: FrameReader.Failure.tooLong(4_194_305)) { try reader.read(Span()) }
        #expect(reader.reserved == 0)
    }

    @Test func `frames in any pieces`() throws {
        let contents: [[UInt8]] = [[], [1], [2, 3, 4], [UInt8](repeating: 5, count: 300)]
        let stream = contents.flatMap { FrameReader.frame($0)! }
        for size in [1, 2, 3, 5, 7, 400] {
            var (reader, read) = (FrameReader(), [[UInt8]]())
            for start in stride(from: 0, to: stream.count, by: size) {
                let piece = Array(stream[start..<min(stream.count, start + size)])
                read += try reader.read(piece.span)
            }
            #expect(read == contents)
        }
    }

    @Test func `10,000 mutations of a stream of frames`() throws {
        let random = SeededRandom(seed: 1)
        let stream = [[], [1], [2, 3, 4]].flatMap { FrameReader.frame($0)! }
        for _ in 0..<10_000 {
            var reader = FrameReader()
            let bytes = random.changed(stream)
            let frames = (try? reader.read(bytes.span)) ?? []
            #expect(frames.allSatisfy { $0.count <= bytes.count } && reader.buffered <= bytes.count)
        }
    }
}
