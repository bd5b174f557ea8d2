import Foundation
import SecureMemory
import Testing

@testable import Console

/// What is left out of a file, and how much of it is read.
@Suite struct InputFileTests {
    private static let mark: [UInt8] = [0xef, 0xbb, 0xbf]

    private static func reading(
        _ content: [UInt8], as kind: InputFile.Content, limit: Int = 5
    ) throws -> (guarded: [UInt8], plain: [UInt8]) {
        let path = NSTemporaryDirectory() + "input-\(UUID().uuidString)"
        try Data(content).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let secret = try InputFile(path: path).readGuarded(kind, limit: limit)
        return (secret.revealBytes(), try InputFile(path: path).readBytes(kind, limit: limit))
    }

    @Test(arguments: [[], [0x61], [0x61, 0x62, 0x63, 0x64, 0x65], [0xef, 0xbb, 0xbf], [0xef, 0xbb]] as [[UInt8]])
    func `a text loses one byte order mark`(_ text: [UInt8]) throws {
        let (guarded, plain) = try Self.reading(Self.mark + text, as: .text)
        #expect(guarded == text)
        #expect(plain == text)
    }

    @Test func `bytes lose nothing`() throws {
        let bytes = Self.mark + [1, 2]
        for kind in [InputFile.Content.notZIP, .bytes] {
            let (guarded, plain) = try Self.reading(bytes, as: kind)
            #expect(guarded == bytes)
            #expect(plain == bytes)
        }
    }

    @Test(arguments: [6, 8, 9, 10, 5000])
    func `a mark hides no byte that is too many`(_ count: Int) {
        let text = [UInt8](repeating: 0x61, count: count)
        for kind in [InputFile.Content.text, .notZIP, .bytes] {
            #expect(throws: InputError.self) { try Self.reading(Self.mark + text, as: kind) }
            #expect(throws: InputError.self) { try Self.reading(text, as: kind) }
        }
    }

    @Test func `a ZIP file is refused if it may not be one`() throws {
        let file: [UInt8] = [0x50, 0x4b, 3, 4]
        for kind in [InputFile.Content.text, .notZIP] {
            #expect(throws: InputError.self) { try Self.reading(file, as: kind) }
        }
        #expect(try Self.reading(file, as: .bytes).guarded == file)
    }
}
