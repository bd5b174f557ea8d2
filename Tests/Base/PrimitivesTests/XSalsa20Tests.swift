import Primitives
import SecureMemory
import Testing
import VectorKit

@Suite struct XSalsa20Tests {
    @Test(arguments: try Vector.all(in: .xsalsa20)) func `the stream is NaCl's`(_ vector: Vector) throws {
        let key = SecureBytes(copying: try vector.inputs.bytes("key"))
        let nonce = try vector.inputs.bytes("nonce")
        let message = try vector.inputs.repeated("message")
        let output = XSalsa20.apply(to: message.span, nonce: nonce, key: key).copied
        #expect(output.count == message.count)
        if vector.expected.has("sha256") {
            #expect(SHA256.hash(output.span).hex == (try vector.expected.string("sha256")))
        } else {
            #expect(output.hex == (try vector.expected.string("output")))
            let again = XSalsa20.apply(to: output.span, nonce: nonce, key: key).copied
            #expect(again == message)
        }
    }

    @Test func `nothing becomes nothing`() {
        let key = SecureBytes(copying: [UInt8](repeating: 1, count: 32))
        let output = XSalsa20.apply(to: [UInt8]().span, nonce: [UInt8](repeating: 2, count: 24), key: key)
        #expect(output.count == 0)
    }

    /// A backup code's key stream: from block 0 and a nonce of zeros.
    @Test func `block 0 is where it starts`() throws {
        let vector = try Vector.named("xsalsa20-nacl-stream4", in: .xsalsa20)
        let box = try Vector.named("secretbox-nacl", in: .secretBox)
        // A secretbox uses bytes 0 to 31 for its tag, and goes on from there.
        #expect(try vector.expected.bytes("output").dropFirst(32) == box.expected.bytes("box").dropFirst(16))
        let key = SecureBytes(copying: try vector.inputs.bytes("key"))
        let nonce = try vector.inputs.bytes("nonce")
        let first = XSalsa20.apply(to: [UInt8](repeating: 0, count: 32).span, nonce: nonce, key: key).copied
        #expect(first.hex == (try Vector.named("xsalsa20-nacl-stream3", in: .xsalsa20).expected.string("output")))
    }
}

extension SecureBytes {
    init(copying bytes: [UInt8]) { self.init(copying: bytes.span) }
}
