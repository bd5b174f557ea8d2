import SecureMemory
import Testing
import VectorKit

@testable import KeyWrapping

/// The key file that opens on its phone only is told from the others.
@Suite struct AndroidSealedKeyFileTests {
    private func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
        [number << 3 | 2, UInt8(content.count)] + content
    }

    private func file(nonce: Int = 12, sealed: Int = 60) -> [UInt8] {
        field(1, Array("alias".utf8)) + field(2, [UInt8](repeating: 1, count: nonce))
            + field(3, [UInt8](repeating: 2, count: sealed))
    }

    private func isSealed(_ file: [UInt8]) -> Bool { KeyFileFormat(of: file.span) == .androidSealed }

    @Test func `it is recognised by its fields`() {
        #expect(isSealed(file()) && isSealed(file(sealed: 17)))
        #expect(isSealed(file() + field(9, [1])))
        #expect(!isSealed(file(sealed: 16)) && !isSealed(file(nonce: 16)) && !isSealed(Array(file().dropLast())))
        #expect(!isSealed(field(1, [1]) + field(2, [UInt8](repeating: 1, count: 12)) + [0x18, 1]))
        #expect(throws: KeyFileError.sealedByPhone) { _ = try WrappedKey(SecureBytes(copying: file().span)) }
    }

    @Test func `ten thousand changes are of some format`() {
        var random = SeededRandom(seed: 6)
        let file = file()
        var recognised = 0
        for _ in 0..<10_000 {
            var changed = file
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                changed[Int.random(in: changed.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) { changed.removeLast(Int.random(in: 0...changed.count, using: &random)) }
            guard isSealed(changed) else { continue }
            recognised += 1
            #expect(throws: KeyFileError.sealedByPhone) { _ = try WrappedKey(SecureBytes(copying: changed.span)) }
        }
        #expect(recognised > 1000)
    }
}
