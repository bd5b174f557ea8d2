import Foundation
import Primitives
import SecureMemory
import Testing
import ThreemaMessages
import VectorKit

@testable import ThreemaMedia

@Suite struct BlobTests {
    @Test(arguments: try Vector.all(in: .threemaClient, op: "set-profile-picture"))
    func `blob of a profile picture`(_ vector: Vector) throws {
        let key = EnclosedKey.of(try vector.inputs.bytes("key"))
        let jpeg = try vector.inputs.bytes("jpeg")
        let blob = try vector.expected.bytes("blob")
        #expect(Blob.seal(jpeg.span, key: key) == blob)
        #expect(try Blob.open(blob.span, key: key).copied == jpeg)
    }

    @Test(arguments: try Vector.all(in: .threemaClient, op: "seal-blob"))
    func `file and thumbnail under one key`(_ vector: Vector) throws {
        let key = EnclosedKey.of(try vector.inputs.bytes("key"))
        for (part, name) in [(Blob.Part.file, "file"), (.thumbnail, "thumbnail")] {
            let plain = try vector.inputs.bytes(name)
            #expect(part.nonce.hex == (try vector.expected.string(name + "Nonce")))
            #expect(Blob.seal(plain.span, part, key: key).hex == (try vector.expected.string(name + "Blob")))
        }
    }

    @Test func `a thumbnail does not open as a file`() throws {
        let key = EnclosedKey.random()
        let blob = Blob.seal([UInt8]([1, 2, 3]).span, .thumbnail, key: key)
        #expect(try Blob.open(blob.span, .thumbnail, key: key).copied == [1, 2, 3])
        #expect(throws: AuthenticationError.notAuthentic) { try Blob.open(blob.span, .file, key: key).copied }
    }

    @Test func `a picture has a fresh key each time`() throws {
        let jpeg = Random.bytes(100)
        let (first, second) = (Blob.sealPicture(jpeg.span), Blob.sealPicture(jpeg.span))
        #expect(first.key != second.key && first.blob != second.blob)
        #expect(try Blob.open(first.blob.span, key: first.key).copied == jpeg)
    }

    @Test(arguments: [0, 1, 15, 16, 65_535, 65_536, 65_537, 131_072, 200_000])
    func `a stream seals and opens what memory does`(_ count: Int) throws {
        let (key, plain) = (EnclosedKey.random(), Random.bytes(count))
        for step in [1, 1000, 1 << 20] where count < 70_000 || step > 1 {
            var source = Bytes(bytes: plain, step: step)
            var sink = Memory()
            #expect(try BlobStream(.thumbnail, key: key).seal(&source, into: &sink) == count)
            #expect(sink.bytes == Blob.seal(plain.span, .thumbnail, key: key))
            #expect(sink.isPublished && !sink.isDiscarded)

            source = Bytes(bytes: sink.bytes, step: step)
            var opened = Memory()
            #expect(try BlobStream(.thumbnail, key: key).open(&source, into: &opened) == count)
            #expect(opened.bytes == plain && opened.isPublished && !opened.isDiscarded)
        }
    }

    @Test func `what is not authentic is never published`() throws {
        let (key, plain) = (EnclosedKey.random(), Random.bytes(100_000))
        let blob = Blob.seal(plain.span, key: key)
        var broken: [[UInt8]] = [[], Array(blob[..<15]), Array(blob[..<16]), blob.dropLast(), blob + [0]]
        for place in [0, 15, 16, 65_552, blob.count - 1] {
            broken.append(blob)
            broken[broken.count - 1][place] ^= 0x80
        }
        for bytes in broken {
            var source = Bytes(bytes: bytes, step: 4096)
            var sink = Memory()
            #expect(throws: BlobStreamError<Cut, Full>.notAuthentic) {
                try BlobStream(key: key).open(&source, into: &sink)
            }
            #expect(!sink.isPublished && sink.isDiscarded)
        }
    }

    @Test func `failures of source and sink discard what was written`() throws {
        let key = EnclosedKey.random()
        var source = Bytes(bytes: Random.bytes(100_000), step: 4096, failsAt: 70_000)
        var sink = Memory()
        #expect(throws: BlobStreamError<Cut, Full>.source(Cut())) {
            try BlobStream(key: key).seal(&source, into: &sink)
        }
        #expect(!sink.isPublished && sink.isDiscarded)
        source = Bytes(bytes: Random.bytes(100_000), step: 4096)
        sink = Memory(capacity: 80_000)
        #expect(throws: BlobStreamError<Cut, Full>.sink(Full())) { try BlobStream(key: key).seal(&source, into: &sink) }
        #expect(!sink.isPublished && sink.isDiscarded)
        source = Bytes(bytes: Random.bytes(100_001), step: 4096)
        sink = Memory()
        #expect(throws: BlobStreamError<Cut, Full>.tooLong(limit: 100_000)) {
            try BlobStream(key: key, limit: 100_000).seal(&source, into: &sink)
        }
        #expect(!sink.isPublished && sink.isDiscarded)
    }

    @Test func `a file gets its name when it is authentic`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "blob-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (key, plain) = (EnclosedKey.random(), Random.bytes(300_000))
        var blob = Blob.seal(plain.span, key: key)
        func open() throws -> [String] {
            var source = Bytes(bytes: blob, step: 5000)
            var sink = try FileSink(directory, name: "picture")
            _ = try? BlobStream(key: key).open(&source, into: &sink)
            return try FileManager.default.contentsOfDirectory(atPath: directory.path())
        }
        blob[200_000] ^= 1
        #expect(try open() == [])
        blob[200_000] ^= 1
        #expect(try open() == ["picture"])
        #expect(try Array(Data(contentsOf: directory.appending(path: "picture"))) == plain)
    }

    @Test func `a file of 1 GiB takes less than 32 MiB of memory`() async {
        await #expect(processExitsWith: .success) {
            let count = 1 << 30
            let key = EnclosedKey.of([UInt8](repeating: 7, count: 32))
            let before = peakKibibytes()
            var zeros = Zeros(rest: count)
            var sealed = Counter()
            guard try BlobStream(key: key).seal(&zeros, into: &sealed) == count, sealed.isPublished else { exit(1) }
            guard sealed.tag.count == 16, sealed.count == count + 16 else { exit(2) }
            var blob = SealedZeros(tag: sealed.tag, rest: count, key: key)
            var opened = Counter(expectsZeros: true)
            guard try BlobStream(key: key).open(&blob, into: &opened) == count, opened.isPublished else { exit(3) }
            guard opened.count == count, opened.isZero else { exit(4) }
            guard peakKibibytes() - before < 32 * 1024 else { exit(5) }
        }
    }
}

/// The most memory that this process has had so far.
private func peakKibibytes() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return line.split(separator: " ").compactMap { Int($0) }.first ?? .max / 2
}
