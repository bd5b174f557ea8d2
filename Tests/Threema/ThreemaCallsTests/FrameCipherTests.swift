import Primitives
import SecureMemory
import Testing
import VectorKit

@testable import ThreemaCalls

@Suite struct FrameCipherTests {
    /// A cipher that closures can hold.
    private final class Cipher: Sendable {
        let value: FrameCipher

        init(_ key: [UInt8]) { value = FrameCipher(key: SecureBytes(copying: key.span)) }

        func seal(
            _ plaintext: [UInt8], _ nonce: [UInt8], _ data: [UInt8], _ prefix: [UInt8] = [], _ suffix: [UInt8] = []
        ) -> [UInt8] {
            value.seal(plaintext.span, nonce: nonce, additionalData: data, between: prefix.span, and: suffix.span)
        }

        func open(
            _ sealed: [UInt8], _ nonce: [UInt8], _ data: [UInt8], _ prefix: [UInt8] = []
        ) throws(AuthenticationError) -> [UInt8] {
            try value.open(sealed.span, nonce: nonce, additionalData: data, after: prefix.span)
        }
    }

    @Test(arguments: try Vector.all(in: .aes256GCM))
    func `published vectors`(_ vector: Vector) throws {
        let cipher = Cipher(try vector.inputs.bytes("key"))
        let nonce = try vector.inputs.bytes("nonce")
        let data = try vector.inputs.bytes("additional_data")
        let plaintext = try vector.inputs.bytes("plaintext")
        let sealed = try vector.expected.bytes("sealed")
        #expect(cipher.seal(plaintext, nonce, data) == sealed)
        #expect(try cipher.open(sealed, nonce, data) == plaintext)
    }

    @Test func `libsodium agrees, with one key for all texts`() throws {
        let key = Random.bytes(32)
        let cipher = Cipher(key)
        let other = AES256GCM(key: SecureBytes(copying: key.span))
        for _ in 0..<2000 {
            let plaintext = Random.bytes(Int(Random.number(below: 1500)))
            let data = Random.bytes(Int(Random.number(below: 40)))
            let prefix: [UInt8] = Random.bytes(Int(Random.number(below: 12)))
            let suffix: [UInt8] = Random.bytes(Int(Random.number(below: 8)))
            let nonce = Random.bytes(12)
            let sealed = other.seal(plaintext.span, nonce: nonce, additionalData: data)
            let framed: [UInt8] = prefix + sealed + suffix
            let opened: [UInt8] = prefix + plaintext
            #expect(cipher.seal(plaintext, nonce, data, prefix, suffix) == framed)
            #expect(try cipher.open(sealed, nonce, data, prefix) == opened)
        }
    }

    @Test func `what is changed is refused, and the next text opens`() throws {
        let cipher = Cipher(Random.bytes(32))
        let (nonce, data, plaintext) = (Random.bytes(12), Random.bytes(6), Random.bytes(40))
        let sealed = cipher.seal(plaintext, nonce, data)
        func refuses(_ sealed: [UInt8], _ nonce: [UInt8], _ data: [UInt8]) throws {
            #expect(throws: AuthenticationError.notAuthentic) { try cipher.open(sealed, nonce, data, [1, 2, 3]) }
        }
        func changed(_ bytes: [UInt8], _ bit: Int) -> [UInt8] {
            var bytes = bytes
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            return bytes
        }
        for bit in 0..<8 * sealed.count { try refuses(changed(sealed, bit), nonce, data) }
        for bit in 0..<8 * nonce.count { try refuses(sealed, changed(nonce, bit), data) }
        for bit in 0..<8 * data.count { try refuses(sealed, nonce, changed(data, bit)) }
        for count in 16..<sealed.count { try refuses(Array(sealed.prefix(count)), nonce, data) }
        #expect(try cipher.open(sealed, nonce, data) == plaintext)
    }

    @Test func `two threads share a cipher`() async throws {
        let cipher = Cipher(Random.bytes(32))
        try await withThrowingTaskGroup { group in
            for task in 0..<4 {
                group.addTask {
                    for round in 0..<500 {
                        let number = [UInt8(round / 256), UInt8(round % 256)]
                        let nonce = [UInt8](repeating: UInt8(task), count: 10) + number
                        let plaintext = [UInt8](repeating: UInt8(task), count: 300)
                        let sealed = cipher.seal(plaintext, nonce, [])
                        let opened = try cipher.open(sealed, nonce, [])
                        #expect(opened == plaintext)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: [0, 16, 1200, 65_536])
    func `the stack that it has used is wiped`(_ count: Int) {
        let stack = PaintedStack()
        let cipher = Cipher([UInt8](repeating: 7, count: 32))
        let plaintext = [UInt8](repeating: 1, count: count)
        let nonce = [UInt8](repeating: 2, count: 12)
        let data = [UInt8](repeating: 3, count: 6)
        let sealed = cipher.seal(plaintext, nonce, data)
        let wrong = Array(sealed.dropLast()) + [sealed.last! ^ 1]
        #expect(stack.bytesLeft { _ = cipher.seal(plaintext, nonce, data) } < PaintedStack.callBytes)
        #expect(stack.bytesLeft { _ = try? cipher.open(sealed, nonce, data) } < PaintedStack.callBytes)
        #expect(stack.bytesLeft { _ = try? cipher.open(wrong, nonce, data) } < PaintedStack.callBytes)
    }
}
