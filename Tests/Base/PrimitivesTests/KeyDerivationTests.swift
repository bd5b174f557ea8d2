import CScrypt
import Primitives
import SecureMemory
import Testing
import VectorKit

@Suite struct KeyDerivationTests {
    @Test(arguments: try Vector.all(in: .pbkdf2)) func `PBKDF2 with HMAC-SHA-256`(_ vector: Vector) throws {
        let password = try vector.inputs.bytes("password")
        let expected = try vector.expected.bytes("key")
        let key = PBKDF2.deriveKey(
            password: password.span, salt: try vector.inputs.bytes("salt"),
            iterations: try vector.inputs.integer("iterations"),
            count: expected.count)
        #expect(key.copied == expected)
    }

    // RFC 7914's fourth vector needs 1 GiB and is left out.
    @Test(arguments: try Vector.all(in: .scrypt)) func scrypt(_ vector: Vector) throws {
        let expected = try vector.expected.bytes("key")
        let key = try scrypt(
            password: try vector.inputs.bytes("password"), salt: try vector.inputs.bytes("salt"),
            cost: UInt64(try vector.inputs.integer("cost")), blockSize: UInt32(try vector.inputs.integer("block_size")),
            parallelism: UInt32(try vector.inputs.integer("parallelism")), count: expected.count)
        #expect(key == expected)
    }

    @Test(
        arguments: [
            (2, 1, 1, 1), (16, 8, 1, 64), (1024, 1, 1, 33), (128, 8, 3, 100), (64, 16, 2, 32), (16384, 8, 1, 32),
            // A Safe backup's
            (65536, 8, 1, 64),
        ] as [(UInt64, UInt32, UInt32, Int)]) func `scrypt agrees with libscrypt`(
            _ cost: UInt64, _ blockSize: UInt32, _ parallelism: UInt32, _ count: Int
        ) throws
    {
        for (password, salt) in [("shootdeathstar", "ECHOECHO"), ("", ""), ("gr\u{fc}ezi \u{1f511}", "*3MAPROG")] {
            // One pair is enough where it takes long.
            if cost > 1024 && salt != "ECHOECHO" { continue }
            let password = Array(password.utf8)
            let salt = Array(salt.utf8)
            var expected = [UInt8](repeating: 0, count: count)
            let status = libscrypt_scrypt(
                password, password.count, salt, salt.count, cost, blockSize, parallelism, &expected, count)
            #expect(status == 0)
            let key = try scrypt(
                password: password, salt: salt, cost: cost, blockSize: blockSize, parallelism: parallelism, count: count
            )
            #expect(key == expected)
        }
    }

    @Test func `scrypt says how much memory it would have needed`() {
        // 2^47 bytes are the whole address space of a process.
        #expect(throws: KeyDerivationError.memory(bytes: 1 << 47)) {
            _ = try scrypt(password: [1], salt: [2], cost: 1 << 32, blockSize: 256, parallelism: 1, count: 32)
        }
    }

    @Test func `a key of no bytes and a derivation of no rounds end the process`() async {
        await #expect(processExitsWith: .failure) {
            _ = PBKDF2.deriveKey(password: [UInt8]([1]).span, salt: [2], iterations: 0, count: 32)
        }
        await #expect(processExitsWith: .failure) {
            _ = PBKDF2.deriveKey(password: [UInt8]([1]).span, salt: [2], iterations: 1, count: 0)
        }
    }

    private func scrypt(
        password: [UInt8], salt: [UInt8], cost: UInt64, blockSize: UInt32, parallelism: UInt32, count: Int
    ) throws -> [UInt8] {
        try Scrypt.deriveKey(
            password: password.span, salt: salt.span, cost: cost, blockSize: blockSize, parallelism: parallelism,
            count: count
        ).copied
    }
}
