import Encodings
import SecureMemory
import Testing
import Threema
import ThreemaDirectory
import VectorKit

@testable import ThreemaKeeping

/// What is remembered of a directory: written, read, and damaged.
@Suite struct DirectoryRecordTests {
    private let server = try! DirectoryServer(url: "https://directory.example/path")

    private static func bytes(_ text: String) -> SecureBytes { SecureBytes(copying: Array(text.utf8).span) }

    private static func matchToken(_ record: borrowing SecureBytes) -> (url: String, time: Int64, token: [UInt8])? {
        guard let kept = KeptMatchToken(decoding: record) else { return nil }
        return (kept.url, kept.notBefore.milliseconds, kept.token.bytes.copied)
    }

    private static func pending(_ record: borrowing SecureBytes) -> (server: DirectoryServer, key: [UInt8])? {
        guard let pending = PendingRegistration(decoding: record) else { return nil }
        return (pending.server, pending.key.bytes.copied)
    }

    @Test func `a match token has its layout`() throws {
        let kept = KeptMatchToken(
            MatchToken(Self.bytes("token")), of: server, notBefore: Timestamp(milliseconds: 0x0102_0304_0506))
        let record = kept.encoded()
        let url = Array("https://directory.example/path/".utf8)
        #expect(
            record.copied == [1, 0, 0, 1, 2, 3, 4, 5, 6, 0, UInt8(url.count)] + url + Array("token".utf8))
        let found = Self.matchToken(record)
        let read = try #require(found)
        #expect(read.url == server.url && read.time == 0x0102_0304_0506 && read.token == Array("token".utf8))
    }

    @Test func `a match token that is cut, or of another version, is none`() {
        let record = KeptMatchToken(MatchToken(Self.bytes("t")), of: server, notBefore: Timestamp(milliseconds: -1))
            .encoded().copied
        for count in 0..<record.count {
            let found = Self.matchToken(SecureBytes(copying: Array(record.prefix(count)).span))
            #expect(found == nil, "\(count) bytes")
        }
        for (offset, byte) in [(0, UInt8(2)), (9, 0xff), (10, 0xff)] {
            var changed = record
            changed[offset] = byte
            let found = Self.matchToken(SecureBytes(copying: changed.span))
            #expect(found == nil, "byte \(offset)")
        }
    }

    @Test func `a pending registration is its key and the directory`() throws {
        let key = [UInt8](0..<32)
        let pending = PendingRegistration(ClientKey(SecureBytes(copying: key.span)), at: server)
        let content = pending.encoded()
        #expect(content.copied == key + server.encoded)
        let found = Self.pending(content)
        let read = try #require(found)
        #expect(read.server == server && read.key == key)
        for count in [0, 31, 32, 33, content.count - 1] {
            let part = SecureBytes(copying: Array(content.copied.prefix(count)).span)
            let found = Self.pending(part)
            #expect(found == nil, "\(count) bytes")
        }
    }
}
