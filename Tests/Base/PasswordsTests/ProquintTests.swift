import Passwords
import SecureMemory
import Testing
import VectorKit

struct ProquintTests {
    /// The examples of the proposal, which writes IPv4 addresses so.
    @Test(
        arguments: [
            ([127, 0, 0, 1], "lusab-babad"), ([63, 84, 220, 193], "gutih-tugad"), ([63, 118, 7, 35], "gutuk-bisog"),
            ([140, 98, 193, 141], "mudof-sakat"), ([64, 255, 6, 200], "haguz-biram"),
            ([128, 30, 52, 45], "mabiv-gibot"),
            ([147, 67, 119, 2], "natag-lisaf"), ([212, 58, 253, 68], "tibup-zujah"),
            ([216, 35, 68, 215], "tobog-higil"),
            ([216, 68, 232, 21], "todah-vobij"), ([198, 81, 129, 136], "sinid-makam"),
            ([12, 110, 110, 204], "budov-kuras"),
        ] as [([UInt8], String)])
    func `words of the proposal`(bytes: [UInt8], words: String) {
        let text = Proquint.encode(SecureBytes(copying: bytes.span)).copied
        #expect(String(decoding: text, as: UTF8.self) == words)
    }

    @Test func `different bits are different words`() {
        var words: Set<[UInt8]> = []
        for value in stride(from: UInt16(0), through: .max - 13, by: 13) {
            let bytes = [UInt8(value >> 8), UInt8(value & 0xff)]
            words.insert(Proquint.encode(SecureBytes(copying: bytes.span)).copied)
        }
        #expect(words.count == 5041)
    }
}
