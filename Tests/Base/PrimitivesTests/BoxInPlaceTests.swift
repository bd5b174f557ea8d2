import Testing
import VectorKit

@testable import Primitives

/// Boxes that are sealed and opened where they stand.
@Suite struct BoxInPlaceTests {
    /// - Returns: whether the box was authentic.
    private func open(_ bytes: inout [UInt8], _ place: Range<Int>, _ nonce: [UInt8], _ key: [UInt8]) -> Bool {
        do throws(AuthenticationError) {
            try SecretBox.open(&bytes, at: place, nonce: nonce, key: key.span)
            return true
        } catch {
            return false
        }
    }

    @Test(arguments: try Vector.all(in: .secretBox)) func `the box is NaCl's`(_ vector: Vector) throws {
        let key = try vector.inputs.bytes("key")
        let nonce = try vector.inputs.bytes("nonce")
        let plaintext = try vector.inputs.bytes("plaintext")
        let box = try vector.expected.bytes("box")
        let (prefix, suffix): ([UInt8], [UInt8]) = ([1, 2], [3, 4])
        var bytes = prefix + [UInt8](repeating: 9, count: SecretBox.tagCount) + plaintext
        SecretBox.seal(&bytes, from: prefix.count, nonce: nonce, key: key.span)
        #expect(bytes == prefix + box)

        bytes += suffix
        let place = prefix.count..<prefix.count + box.count
        #expect(open(&bytes, place, nonce, key))
        #expect(bytes == prefix + box[..<SecretBox.tagCount] + plaintext + suffix)
    }

    @Test func `a forged box is not opened, and its bytes stay`() throws {
        let (key, nonce) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 24))
        let box = SecretBox.seal(key.span, nonce: nonce, key: key.span)
        for place in box.indices {
            var forged = box
            forged[place] ^= 1
            let before = forged
            #expect(!open(&forged, 0..<forged.count, nonce, key))
            #expect(forged == before)
        }
        for end in 0..<box.count {
            var bytes = box
            #expect(!open(&bytes, 0..<end, nonce, key))
        }
    }
}
