import Encodings
import Testing
import Threema
import VectorKit

/// What a contact scans, and what scanning makes of it.
@Suite struct ContactCodeTests {
    @Test(arguments: try Vector.positive(in: .contactCode)) func `published codes`(_ vector: Vector) throws {
        guard vector.inputs.has("content") else {
            let code = ContactCode(
                id: try ThreemaID(vector.inputs.string("identity")),
                publicKey: try #require(PublicKey(vector.inputs.bytes("public_key"))))
            #expect(try code.text == vector.expected.string("content"))
            #expect(try ContactCode(parsing: code.text) == code)
            return
        }
        let code = try ContactCode(parsing: vector.inputs.string("content"))
        #expect(try code.id.text == vector.expected.string("identity"))
        #expect(try code.publicKey == PublicKey(vector.expected.bytes("public_key")))
        let seconds = vector.expected.has("expiration") ? try vector.expected.integer("expiration") : nil
        #expect(code.expires == seconds.map { Timestamp(milliseconds: Int64($0) * 1000) })
    }

    @Test(arguments: try Vector.negative(in: .contactCode)) func `published texts that are none`(
        _ vector: Vector
    ) throws {
        let content = try vector.inputs.string("content")
        #expect(throws: ContactCodeError.malformed) { try ContactCode(parsing: content) }
    }

    @Test func `a point of low order is no key`() {
        for key in [String(repeating: "00", count: 32), "01" + String(repeating: "00", count: 30) + "80"] {
            #expect(throws: ContactCodeError.malformed) { try ContactCode(parsing: "3mid:ABCD1234,\(key)") }
        }
    }

    private let key = String(repeating: "ab", count: 32)

    @Test func `a code ends at its second, and one without expiry never does`() throws {
        let code = try ContactCode(parsing: "3mid:ABCD1234,\(key),1766599200")
        #expect(!code.hasExpired(at: Timestamp(milliseconds: 1_766_599_199_999)))
        #expect(code.hasExpired(at: Timestamp(milliseconds: 1_766_599_200_000)))
        #expect(code.text == "3mid:ABCD1234,\(key),1766599200")
        let endless = try ContactCode(parsing: "3mid:ABCD1234,\(key)")
        #expect(!endless.hasExpired(at: Timestamp(milliseconds: .max)))
    }

    @Test(arguments: ["9223372036854775807", "99999999999999999999", "-", "1e9", " 1", ""])
    func `an expiry that is no timestamp counts as none`(_ expiry: String) throws {
        #expect(try ContactCode(parsing: "3mid:ABCD1234,\(key),\(expiry)").expires == nil)
    }

    @Test func `hexadecimal digits may have either case`() throws {
        let code = try ContactCode(parsing: "3mid:ABCD1234,\(key.uppercased())")
        #expect(code.text == "3mid:ABCD1234,\(key)")
    }

    @Test(arguments: [
        "", "3mid:", "3MID:ABCD1234,", "3mid:ABCD123,", "3mid:abcd1234,", "mid:ABCD1234,", " 3mid:ABCD1234,",
    ])
    func `other beginnings are refused`(_ beginning: String) {
        #expect(throws: ContactCodeError.malformed) { try ContactCode(parsing: beginning + key) }
    }

    @Test func `every truncation is refused`() {
        let text = "3mid:ABCD1234,\(key)"
        for count in 0..<text.count {
            #expect(throws: ContactCodeError.malformed) { try ContactCode(parsing: String(text.prefix(count))) }
        }
    }
}
