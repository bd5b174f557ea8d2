import SecureMemory
import Testing
import VectorKit

@testable import TextSecure

@Suite struct AttachmentTests {
    static let vectors = try! Vector.all(in: .textSecureFormats, op: "attachment-encrypt")

    static func key(_ bytes: [UInt8]) throws -> AttachmentKey {
        guard let key = AttachmentKey(secure(bytes)) else { throw Missing() }
        return key
    }

    static func seal(_ file: [UInt8], _ key: AttachmentKey, iv: [UInt8], pieces: Int) -> [UInt8] {
        var sealer = AttachmentSealer(key: key, iv: iv)
        var blob = sealer.beginning
        for start in stride(from: 0, to: file.count, by: pieces) {
            blob += try! sealer.seal(file.span.extracting(start..<min(file.count, start + pieces)))
        }
        return blob + sealer.finish()
    }

    static func open(_ blob: [UInt8], _ key: AttachmentKey, pieces: Int) throws -> [UInt8] {
        var check = try AttachmentCheck(key: key, count: Int64(blob.count))
        for start in stride(from: 0, to: blob.count, by: pieces) {
            try check.read(blob.span.extracting(start..<min(blob.count, start + pieces)))
        }
        var opener = try check.finish()
        var file: [UInt8] = []
        for start in stride(from: 0, to: blob.count, by: pieces) {
            file += try opener.open(blob.span.extracting(start..<min(blob.count, start + pieces))).copied
        }
        return file + (try opener.finish().copied)
    }

    @Test(arguments: vectors, [1, 7, 16, 31, 33, 4096]) func `seals and opens`(
        _ vector: Vector, pieces: Int
    ) throws {
        let key = try Self.key(vector.inputs.bytes("key"))
        let (file, iv) = (try vector.inputs.bytes("plaintext"), try vector.inputs.bytes("iv"))
        let blob = try vector.expected.bytes("blob")
        #expect(Self.seal(file, key, iv: iv, pieces: pieces) == blob)
        #expect(try Self.open(blob, key, pieces: pieces) == file)
        #expect(AttachmentBlob.count(fileCount: Int64(file.count)) == Int64(blob.count))
    }

    @Test(arguments: 0...33) func `short files`(_ count: Int) throws {
        let file = SeededRandom(seed: UInt64(count)).bytes(count)
        let key = AttachmentKey()
        let iv = [UInt8](repeating: 3, count: 16)
        let blob = Self.seal(file, key, iv: iv, pieces: 5)
        #expect(Int64(blob.count) == AttachmentBlob.count(fileCount: Int64(count)))
        #expect(blob.count >= AttachmentBlob.minCount)
        #expect(try Self.open(blob, key, pieces: 9) == file)
    }

    @Test func `10 MB in pieces of 64 KiB`() throws {
        let file = SeededRandom(seed: 10).bytes(10_000_000)
        let key = AttachmentKey()
        let blob = Self.seal(file, key, iv: Random.bytes(16), pieces: 65_536)
        #expect(try Self.open(blob, key, pieces: 65_536) == file)
    }

    @Test func `altered bytes never reach the second pass`() throws {
        let vector = Self.vectors[0]
        let key = try Self.key(vector.inputs.bytes("key"))
        let blob = try vector.expected.bytes("blob")
        for index in blob.indices {
            var changed = blob
            changed[index] ^= 1
            #expect(throws: AttachmentError.notAuthentic) {
                var check = try AttachmentCheck(key: key, count: Int64(changed.count))
                try check.read(changed.span)
                _ = try check.finish()
            }
        }
        #expect(throws: AttachmentError.notAuthentic) { _ = try Self.open(blob, AttachmentKey(), pieces: 64) }
    }

    @Test func `a file that changes between the passes is refused`() throws {
        let key = try Self.key(Self.vectors[0].inputs.bytes("key"))
        let blob = try Self.vectors[0].expected.bytes("blob")
        var changed = blob
        changed[20] ^= 1
        for second in [changed, Array(blob.dropLast()), Array(blob[..<10]), [], blob + [0]] {
            #expect(throws: AttachmentError.self) {
                var check = try AttachmentCheck(key: key, count: Int64(blob.count))
                try check.read(blob.span)
                var opener = try check.finish()
                _ = try opener.open(second.span)
                _ = try opener.finish()
            }
        }
    }

    @Test(
        arguments: [
            (0, AttachmentError.tooShort), (63, .tooShort), (65, .wrongLength), (79, .wrongLength), (-1, .tooShort),
            (.min, .tooShort), (.max, .tooLong(limit: AttachmentBlob.maxFileCount)),
        ] as [(Int64, AttachmentError)]) func `wrong lengths`(_ count: Int64, _ error: AttachmentError)
    {
        #expect(throws: error) { _ = try AttachmentCheck(key: AttachmentKey(), count: count) }
    }

    @Test func `fewer or more bytes than announced`() {
        let zeros = [UInt8](repeating: 0, count: 81)
        for count in [79, 81] {
            #expect(throws: AttachmentError.wrongLength) {
                var check = try AttachmentCheck(key: AttachmentKey(), count: 80)
                try check.read(zeros.span.extracting(0..<count))
                _ = try check.finish()
            }
        }
    }
}
