import Primitives
import SecureMemory
import Testing

@Suite struct SecretBoxStreamTests {
    @Test(arguments: [0, 1, 31, 32, 33, 63, 64, 65, 95, 96, 97, 1000, 100_000])
    func `pieces of any length give the box of the whole`(_ count: Int) throws {
        let (key, nonce, text) = (Random.bytes(32), Random.bytes(24), Random.bytes(count))
        let whole = SecretBox.seal(text.span, nonce: nonce, key: key.span)
        for piece in [1, 7, 31, 32, 33, 64, 100, 4096, 1 << 20] where count / piece < 5000 {
            var stream = SecretBoxStream(nonce: nonce, key: key.span)
            var sealed: [UInt8] = []
            for start in stride(from: 0, to: count, by: piece) {
                var bytes = Array(text[start..<min(start + piece, count)])
                var span = bytes.mutableSpan
                stream.seal(&span)
                sealed += bytes
            }
            #expect(stream.finish() + sealed == whole, "pieces of \(piece)")

            var opening = SecretBoxStream(nonce: nonce, key: key.span)
            var opened: [UInt8] = []
            for start in stride(from: 0, to: count, by: piece) {
                var bytes = Array(whole[16 + start..<16 + min(start + piece, count)])
                var span = bytes.mutableSpan
                opening.open(&span)
                opened += bytes
            }
            try opening.check(Array(whole[..<16]).span)
            #expect(opened == text)
        }
    }

    @Test func `every bit of tag and ciphertext counts`() {
        let (key, nonce) = (Random.bytes(32), Random.bytes(24))
        let box = SecretBox.seal([UInt8]([1, 2, 3, 4, 5]).span, nonce: nonce, key: key.span)
        for bit in 0..<8 * box.count {
            var flipped = box
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            var stream = SecretBoxStream(nonce: nonce, key: key.span)
            stream.authenticate(Array(flipped[16...]).span)
            let tag = Array(flipped[..<16])
            var isRefused = false
            do throws(AuthenticationError) { try stream.check(tag.span) } catch { isRefused = true }
            #expect(isRefused, "bit \(bit)")
        }
    }
}
