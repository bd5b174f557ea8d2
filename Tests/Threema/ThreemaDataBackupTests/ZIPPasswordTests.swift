import SecureMemory
import Testing

@testable import ThreemaDataBackup

/// One password, two forms of its bytes.
@Suite struct ZIPPasswordTests {
    private static func bytes(_ text: String, _ form: ZIPPassword.Form) -> [UInt8]? { bytes(Array(text.utf8), form) }

    private static func bytes(_ text: [UInt8], _ form: ZIPPassword.Form) -> [UInt8]? {
        guard let password = ZIPPassword(SecureBytes(copying: text.span), as: form) else { return nil }
        return password.bytes.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    @Test func `UTF-8 comes as it is, with a NUL behind it`() {
        #expect(Self.bytes("aé", .utf8) == [0x61, 0xc3, 0xa9, 0])
        #expect(Self.bytes("", .utf8) == [0])
    }

    @Test func `old apps take the low byte of each UTF-16 unit`() {
        #expect(Self.bytes("a€ë", .lowBytes) == [0x61, 0xac, 0xeb, 0])
        // U+1F408 is D83D DC08.
        #expect(Self.bytes("🐈", .lowBytes) == [0x3d, 0x08, 0])
    }

    @Test func `ASCII has only one form`() {
        #expect(Self.bytes("correct horse", .lowBytes) == nil)
    }

    @Test func `a form with a NUL does not exist`() {
        #expect(Self.bytes("aĀ", .lowBytes) == nil)
    }

    @Test func `what is not UTF-8 has only one form`() {
        for bytes: [UInt8] in [[0x61, 0xff], [0xc3], [0xe2, 0x82], [0xc3, 0x61]] {
            #expect(Self.bytes(bytes, .lowBytes) == nil)
        }
    }
}
