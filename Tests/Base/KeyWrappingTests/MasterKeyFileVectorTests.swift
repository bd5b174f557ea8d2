import KeyWrapping
import SecureMemory
import Testing
import VectorKit

/// What keytool writes, byte for byte what another implementation computes from the same salt and nonce.
@Suite struct MasterKeyFileVectorTests {
    @Test(arguments: try Vector.all(in: .masterKeyFile)) func `every protection`(_ vector: Vector) throws {
        let bytes = try vector.inputs.bytes("master_key")
        let key = MasterKey(SecureBytes(copying: bytes.span))
        let file: [UInt8]
        switch try vector.inputs.string("scheme") {
        case "none": file = try WrappedKey.unprotected(key).file.copied
        case "scrypt": file = try protect(key, vector, .scrypt(salt: vector.inputs.bytes("salt")))
        case "argon2id":
            file = try protect(
                key, vector,
                .argon2id(salt: vector.inputs.bytes("salt"), nonce: vector.inputs.bytes("nonce")))
        case let other:
            Issue.record("\(other)")
            return
        }
        #expect(try file == vector.expected.bytes("file"))
    }

    private func protect(
        _ key: borrowing MasterKey, _ vector: Vector, _ randomness: WrappedKey.Randomness
    ) throws -> [UInt8] {
        let passphrase = try vector.inputs.utf8("passphrase")
        return try WrappedKey.protected(key, by: SecureBytes(copying: passphrase.span), randomness).file.copied
    }

    @Test func `every scheme has a vector`() throws {
        let schemes = try Vector.all(in: .masterKeyFile).map { try $0.inputs.string("scheme") }
        #expect(Set(schemes) == Set(WrappedKey.Scheme.allCases.map(\.rawValue) + ["none"]))
    }
}
