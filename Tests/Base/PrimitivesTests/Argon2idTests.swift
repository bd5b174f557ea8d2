import Primitives
import SecureMemory
import Testing
import VectorKit

/// Two libraries share the work by the salt's length: both are checked against known answers.
@Suite struct Argon2idTests {
    @Test(arguments: try Vector.positive(in: .desktopKeyStorage)) func `published keys`(_ vector: Vector) throws {
        let password = try vector.inputs.utf8("password")
        let key = try Argon2id.deriveKey(
            password: password.span, salt: vector.inputs.bytes("salt"),
            memoryKiB: UInt32(vector.inputs.integer("memory_bytes") / 1024),
            iterations: UInt32(vector.inputs.integer("iterations")), count: 32)
        #expect(try key.copied == vector.expected.bytes("key"))
    }

    /// Of argon2-cffi: `hash_secret_raw(b"supersafe", salt, 2, 64, 1, 32, Type.ID)`.
    @Test(arguments: [
        (
            "0001020304050607",
            "0b34be4696f1b1b96a988df21251a3a3c7b8efc9a86b73c649f637a760162e8a"
        ), ("000102030405060708090a0b0c0d0e0f", "26a8115c0045af24fd684ce8223755d52000dd05c39fd87caf14892f5a025ece"),
        ("000102030405060708090a0b0c0d0e0f10", "d53daafb37317c010d089cf4916db874a9cecfaca3838c70d5f52386276cff15"),
    ]) func `the same on both sides of 16 bytes of salt`(_ salt: String, _ expected: String) throws {
        let password = Array("supersafe".utf8)
        let salt = try #require([UInt8](hex: salt))
        let key = try Argon2id.deriveKey(password: password.span, salt: salt, memoryKiB: 64, iterations: 2, count: 32)
        #expect(key.copied.hex == expected)
    }

    /// Of argon2-cffi: `hash_secret_raw(b"supersafe", salt, 2, 64, 4, 32, Type.ID)`.
    @Test(arguments: [
        ("0102030405060708090a0b0c", "55b254523c960aaf91b615fc73b3f3d716c416886109138b18cd9bc6f191c82c"),
        ("000102030405060708090a0b0c0d0e0f", "7d9bd3c4700b519e023dd429a3ec26ef1e1b42f6b98082d1d64e8ea7d640a632"),
    ]) func `four lanes`(_ salt: String, _ expected: String) throws {
        let password = Array("supersafe".utf8)
        let salt = try #require([UInt8](hex: salt))
        let key = try Argon2id.deriveKey(
            password: password.span, salt: salt, memoryKiB: 64, iterations: 2, lanes: 4, count: 32)
        #expect(key.copied.hex == expected)
    }

    @Test func `an empty password has a key, too`() throws {
        let salts = [[UInt8](repeating: 7, count: 16), [UInt8](repeating: 7, count: 17)]
        let keys = try salts.map {
            try Argon2id.deriveKey(password: Span(), salt: $0, memoryKiB: 8, iterations: 1, count: 32).copied.hex
        }
        #expect(
            keys == [
                "b96582c2cb5d032ae7fdcbe8c2a4972deae82b02e9b50b7d9a33c07067972671",
                "db574c457eae0a0ae06f109b0d97a9c79d84ed3021d0d7bfc0c07a4f5c0699e4",
            ])
    }
}
