import SecureMemory
import Testing
import VectorKit

@testable import Primitives

@Suite struct AES256GCMTests {
    private func seal(
        _ plaintext: [UInt8], _ nonce: [UInt8], _ key: [UInt8], _ data: [UInt8], _ library: AES256GCM.Library
    ) -> [UInt8] {
        AES256GCM(key: SecureBytes(copying: key.span), library: library).seal(
            plaintext.span, nonce: nonce, additionalData: data)
    }

    private func open(
        _ sealed: [UInt8], _ nonce: [UInt8], _ key: [UInt8], _ data: [UInt8], _ library: AES256GCM.Library
    ) throws(AuthenticationError) -> [UInt8] {
        try AES256GCM(key: SecureBytes(copying: key.span), library: library).open(
            sealed.span, nonce: nonce, additionalData: data
        ).copied
    }

    /// Both libraries if the processor has AES instructions, else the one for all processors.
    private var libraries: [AES256GCM.Library] { AES256GCM.bestLibrary == .sodium ? [.sodium, .openSSL] : [.openSSL] }

    @Test(arguments: try Vector.all(in: .aes256GCM))
    func `seals and opens`(_ vector: Vector) throws {
        let (key, nonce) = (try vector.inputs.bytes("key"), try vector.inputs.bytes("nonce"))
        let (data, plaintext) = (try vector.inputs.bytes("additional_data"), try vector.inputs.bytes("plaintext"))
        let sealed = try vector.expected.bytes("sealed")
        for library in libraries {
            #expect(seal(plaintext, nonce, key, data, library) == sealed)
            #expect(try open(sealed, nonce, key, data, library) == plaintext)
        }
    }

    @Test func `every changed bit of key, nonce, additional data and ciphertext is refused`() throws {
        let (key, nonce, data) = (Random.bytes(32), Random.bytes(12), Random.bytes(10))
        for library in libraries {
            let sealed = seal(Random.bytes(40), nonce, key, data, library)
            for bit in 0..<8 {
                for index in sealed.indices {
                    refuses(changed(sealed, index, bit), nonce, key, data, library)
                }
                refuses(sealed, changed(nonce, 11, bit), key, data, library)
                refuses(sealed, nonce, changed(key, 31, bit), data, library)
                refuses(sealed, nonce, key, changed(data, 9, bit), library)
            }
            for count in 0..<sealed.count { refuses(Array(sealed.prefix(count)), nonce, key, data, library) }
            refuses(sealed, nonce, key, [], library)
        }
    }

    private func changed(_ bytes: [UInt8], _ index: Int, _ bit: Int) -> [UInt8] {
        var bytes = bytes
        bytes[index] ^= 1 << UInt8(bit)
        return bytes
    }

    private func refuses(
        _ sealed: [UInt8], _ nonce: [UInt8], _ key: [UInt8], _ data: [UInt8], _ library: AES256GCM.Library
    ) {
        #expect(throws: AuthenticationError.notAuthentic) { try open(sealed, nonce, key, data, library) }
    }
}
