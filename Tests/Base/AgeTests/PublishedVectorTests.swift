import Encodings
import Primitives
import SecureMemory
import Testing
import VectorKit

@testable import Age

/// The published vectors of the format. Those of unsupported features are in `CCTV.unwanted`.
@Suite struct PublishedVectorTests {
    @Test func `all vectors are known, and only those with post-quantum keys are left out`() throws {
        #expect(CCTV.names.count == 143 && CCTV.wanted.count == 124)
        for name in CCTV.unwanted {
            let vector = try CCTV(name)
            #expect(vector.identities.contains { $0.hasPrefix("AGE-SECRET-KEY-PQ-1") }, "\(name)")
        }
        let counts = Dictionary(grouping: CCTV.wanted, by: \.expect).mapValues(\.count)
        #expect(
            Set(counts.keys)
                == Set(["success", "no match"] + ["armor", "header", "HMAC", "payload"].map { $0 + " failure" }))
    }

    @Test(arguments: CCTV.wanted) func `the right layer refuses, after the right content`(_ vector: CCTV) {
        let (result, released) = vector.read()
        #expect(result == vector.expect)
        if let payload = vector.payload { #expect(SHA256.hash(released.span).hex == payload) }
    }

    @Test(arguments: CCTV.wanted.filter { !["header failure", "armor failure"].contains($0.expect) })
    func `a header is written as it was read`(_ vector: CCTV) throws {
        let file = try AgeFile(vector.file, vector.form)
        let header = file.header
        let version = Array("age-encryption.org/v1\n".utf8)
        #expect(header.covered == version + header.stanzas.flatMap(\.encoded) + Array("---".utf8))
        #expect(header.encoded.starts(with: header.covered))
        if !vector.isArmored { #expect(vector.file.starts(with: header.encoded)) }
    }

    @Test(arguments: CCTV.wanted.filter { $0.expect == "success" })
    func `a file is written as it was read`(_ vector: CCTV) throws {
        let file = try AgeFile(vector.file, vector.form)
        let header = file.header
        let key = try vector.unlock(file)
        let stated = try #require(vector.fileKey)
        #expect(AgeHeader(header.stanzas, AgeFileKey(SecureBytes(copying: stated.span))).code == header.code)
        let content = try file.open(key).readAll(limit: 1 << 25).copied
        var written: [UInt8] = []
        let binary = vector.isArmored ? try Self.unarmored(vector.file) : vector.file
        let nonce = Array(binary[header.encoded.count..<header.encoded.count + 16])
        let sink = ByteSink({ written += $0.copied }, isArmored: vector.isArmored)
        let start = header.encoded + nonce
        try sink.write(start.span)
        var writer = AgeWriter(
            PayloadCipher(AgeFileKey(SecureBytes(copying: stated.span)), nonce: nonce), sink)
        try writer.write(content.span)
        try writer.finish()
        let isSame = written == (vector.isArmored ? Self.trimmed(vector.file) : vector.file)
        #expect(isSame)
    }

    private static func unarmored(_ file: [UInt8]) throws -> [UInt8] {
        let lines = String(decoding: trimmed(file), as: UTF8.self).split(separator: "\n").dropFirst().dropLast()
        let bytes = Base64.decodePublic(Array(lines.joined().utf8).span, isPadded: true)
        return try #require(bytes)
    }

    /// With the line ends that are written, and without white space around.
    private static func trimmed(_ file: [UInt8]) -> [UInt8] {
        let text = String(decoding: file.filter { $0 != 13 }, as: UTF8.self)
        let lines = text.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }
}
