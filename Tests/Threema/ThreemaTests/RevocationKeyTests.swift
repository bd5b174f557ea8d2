import Testing
import Threema
import VectorKit

@Suite struct RevocationKeyTests {
    @Test(arguments: try Vector.positive(in: .revocation)) func `the directory's four bytes`(_ vector: Vector) throws {
        let password = try vector.inputs.bytes("password_utf8_hex")
        let key = RevocationKey(password: password.span)
        #expect(key.bytes.count == RevocationKey.count)
        #expect(try key.bytes == vector.expected.bytes("key_hex"))
    }
}
