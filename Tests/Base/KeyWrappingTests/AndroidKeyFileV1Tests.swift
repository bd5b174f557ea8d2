import KeyWrapping
import SecureMemory
import Testing
import VectorKit

/// The 45 bytes of the Android app before 6.2.
@Suite struct AndroidKeyFileV1Tests {
    @Test(arguments: try Vector.positive(in: .masterKeyV1)) func `published files open`(_ vector: Vector) throws {
        let file = try vector.inputs.bytes("file_hex")
        let passphrase = vector.inputs.has("passphrase") ? try vector.inputs.string("passphrase") : nil
        let key = try KeyFile.open(file, passphrase)
        #expect(try key == vector.expected.bytes("master_key"))
        #expect(try KeyFile.protection(file) == (passphrase == nil ? WrappedKey.Protection.none : .scrypt))
    }

    @Test(arguments: [
        ("mk-v1-neg-type1", KeyFileError.unknownProtection(1)), ("mk-v1-neg-unprot-corrupt", .malformed),
    ]) func `published files that are refused`(_ name: String, _ error: KeyFileError) throws {
        let vector = try Vector.named(name, in: .masterKeyV1)
        let file = try vector.inputs.bytes("file_hex")
        let passphrase = vector.inputs.has("passphrase") ? try vector.inputs.string("passphrase") : nil
        #expect(throws: error) { try KeyFile.open(file, passphrase) }
    }

    private func published(_ name: String) throws -> [UInt8] {
        try Vector.named(name, in: .masterKeyV1).inputs.bytes("file_hex")
    }

    @Test func `every cut and a byte more is refused`() throws {
        let file = try published("mk-v1-passphrase")
        for count in 0..<file.count {
            #expect(throws: KeyFileError.self) { try KeyFile.open(Array(file.prefix(count)), "superSecretPassword") }
        }
        #expect(throws: KeyFileError.self) { try KeyFile.open(file + [0], "superSecretPassword") }
    }

    /// One bit turns type 0 into type 2: then a passphrase is asked for.
    @Test func `every flipped bit of an unprotected file is refused`() throws {
        let file = try published("mk-v1-unprotected")
        for bit in 0..<file.count * 8 {
            var flipped = file
            flipped[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: KeyFileError.self, "bit \(bit)") { try KeyFile.open(flipped, nil) }
        }
    }

    /// Each try costs an scrypt, so not every bit: one of each field's every second byte.
    @Test(arguments: Array(stride(from: 1, to: 45, by: 4)))
    func `a flipped bit of a protected file looks like a wrong passphrase`(
        _ offset: Int
    ) throws {
        var file = try published("mk-v1-passphrase")
        file[offset] ^= 1
        #expect(throws: KeyFileError.notOpened) { try KeyFile.open(file, "superSecretPassword") }
    }

    @Test func `a wrong passphrase, one with a blank and none do not open`() throws {
        let file = try published("mk-v1-passphrase")
        for passphrase in ["superSecretPasswort", "superSecretPassword ", ""] {
            #expect(throws: KeyFileError.notOpened) { try KeyFile.open(file, passphrase) }
        }
        #expect(throws: KeyFileError.protected) { try KeyFile.open(file, nil) }
        #expect(throws: KeyFileError.malformed) {
            try KeyFile.open(try published("mk-v1-unprotected"), "superSecretPassword")
        }
    }

    @Test func `what is written opens, with another salt each time`() throws {
        let key = MasterKey.random()
        let passphrase = Array("Gr\u{fc}ezi wohl".utf8)
        let files = try (0..<2).map { _ in
            try WrappedKey.protected(key, by: SecureBytes(copying: passphrase.span), .scrypt).file.copied
        }
        #expect(files[0].count == 45 && files[0] != files[1])
        for file in files {
            let opened = try KeyFile.open(file, "Gr\u{fc}ezi wohl")
            #expect(opened == key.bytes.copied)
        }
    }
}
