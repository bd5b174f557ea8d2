import SecureMemory
import Testing
import Threema
import VectorKit

@testable import ThreemaSafe

@Suite struct SafeKeysTests {
    @Test(arguments: try Vector.all(in: .safeKDF)) func `published keys`(_ vector: Vector) throws {
        let password = try vector.inputs.bytes("password_utf8_hex")
        // As bytes: one vector shows what a lower-case ID would lead to, which is none.
        let salt = try vector.inputs.utf8("identity")
        let keys = try SafeKeys(password: password.span, salt: salt.span)
        #expect(try keys.masterKey.copied == vector.expected.bytes("master_key"))
        if vector.expected.has("backup_id") {
            #expect(try keys.backupID.hex == vector.expected.string("backup_id"))
            let encryptionKey = keys.withEncryptionKey { key in key.indices.map { key[$0] } }
            #expect(try encryptionKey == vector.expected.bytes("encryption_key"))
        }
    }

    @Test func `the ID is the salt`() throws {
        let vector = try Vector.named("safe-kdf-official", in: .safeKDF)
        let password = try vector.inputs.utf8("password")
        let keys = try SafeKeys(password: password.span, id: ThreemaID("ECHOECHO"))
        #expect(try keys.masterKey.copied == vector.expected.bytes("master_key"))
    }
}
