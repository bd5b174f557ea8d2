import SecureMemory
import Testing
import Threema
import VectorKit

@Suite struct IdentityTests {
    private func identity(_ id: String, _ key: [UInt8]) throws -> Identity {
        let id = try ThreemaID(id)
        return Identity(id: id, clientKey: ClientKey(SecureBytes(copying: key.span)))
    }

    @Test(arguments: try Vector.all(in: .threemaID)) func `published IDs`(_ vector: Vector) throws {
        let text = try vector.inputs.string("identity")
        if try vector.expected.bool("valid") {
            let id = try ThreemaID(text)
            #expect(id.text == text)
            #expect(id.bytes == Array(text.utf8))
        } else {
            #expect(throws: ThreemaIDError.invalid) { try ThreemaID(text) }
        }
    }

    @Test func `every character at every place is judged by the rule`() {
        let letters = Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        for place in 0..<ThreemaID.count {
            for byte in UInt8.min...UInt8.max {
                var bytes = Array("ECHOECHO".utf8)
                bytes[place] = byte
                let isValid = letters.contains(byte) || (place == 0 && byte == UInt8(ascii: "*"))
                let isAccepted = (try? ThreemaID(bytes: bytes.span)) != nil
                #expect(isAccepted == isValid, "\(byte) at \(place)")
            }
        }
    }

    @Test(arguments: [
        "ECHOECH", "ECHOECHOE", "ECHO ECH", " ECHOECHO", "ECHOECHO\n", "ECHOECH\0", "ＥＣＨＯＥＣＨＯ", "٠١٢٣٤٥٦٧",
        "ECHOECH\u{301}",
    ]) func `no other text is an ID`(_ text: String) {
        #expect(throws: ThreemaIDError.invalid) { try ThreemaID(text) }
    }

    @Test func `random IDs are of the alphabet, at every place`() {
        var seen = [Set<UInt8>](repeating: [], count: ThreemaID.count)
        for _ in 0..<1000 {
            for (place, byte) in ThreemaID.random().bytes.enumerated() { seen[place].insert(byte) }
        }
        // 1000 draws of 36 miss a given one less than once in 10^12.
        for place in seen { #expect(place == Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)) }
    }

    @Test(arguments: try Vector.all(in: .keypair)) func `published key pairs`(_ vector: Vector) throws {
        let bytes = try vector.inputs.bytes("client_key")
        let key = ClientKey(SecureBytes(copying: bytes.span))
        #expect(try key.publicKey.bytes == vector.expected.bytes("public_key"))
        // Stored as it is; only the multiplication clamps.
        #expect(key.bytes.copied == bytes)
    }

    @Test(arguments: try Vector.all(in: .threemaClient, op: "mix-entropy"))
    func `entropy is hashed and XORed`(_ vector: Vector) throws {
        let random = try vector.inputs.bytes("systemRandom")
        let entropy = try vector.inputs.bytes("userSeed")
        let key = ClientKey.mixing(SecureBytes(copying: random.span), with: entropy.span)
        let bytes = key.bytes.copied.hex
        #expect(try bytes == vector.expected.string("secretKey"))
        #expect(try key.publicKey.hex == vector.expected.string("publicKey"))
    }

    @Test func `random keys differ and are not clamped`() {
        let keys = (0..<64).map { _ in ClientKey.random().bytes.copied }
        #expect(Set(keys).count == 64)
        #expect(keys.allSatisfy { $0.count == ClientKey.count })
        #expect(keys.contains { $0[0] & 7 != 0 })
        #expect(keys.contains { $0[31] & 0xc0 != 0x40 })
    }

    @Test(arguments: try Vector.all(in: .publicKeyDisplay)) func `published displays of a key`(_ vector: Vector) throws
    {
        let key = try #require(PublicKey(vector.inputs.bytes("public_key")))
        #expect(try key.lines == vector.expected.strings("lines"))
        // The Desktop app puts blanks between the characters of the same lines.
        let spaced = key.lines.map { $0.map(String.init).joined(separator: " ") }
        #expect(try spaced == vector.expected.strings("desktop_lines"))
        #expect(try key.hex == vector.inputs.string("public_key"))
    }

    @Test func `a contact scans ID and public key`() throws {
        let vector = try Vector.named("idb-lib-legacy-static", in: .idBackup)
        let identity = try identity("0ZAHXXHB", vector.expected.bytes("client_key"))
        #expect(
            identity.contactCode.text
                == "3mid:0ZAHXXHB,acfcc393c8800a25bc792e529053c4e982b8ad1043fbf0733b8c8c74090f4a56")
    }

    @Test func `an identity comes back from its 40 bytes`() throws {
        let identity = try identity("*3MAPROG", [UInt8](repeating: 9, count: 32))
        let bytes = identity.encoded().copied
        #expect(bytes == Array("*3MAPROG".utf8) + [UInt8](repeating: 9, count: 32))
        let read = try Identity(decoding: bytes.span)
        let isSame = read.isSame(as: identity)
        #expect(isSame)
        for count in [0, 39, 41] {
            let other = Array((bytes + [0])[..<count])
            #expect(throws: IdentityError.wrongLength(expected: 40, actual: count)) {
                _ = try Identity(decoding: other.span)
            }
        }
        let lowerCase = Array("echoecho".utf8) + bytes[8...]
        #expect(throws: IdentityError.invalidID) { _ = try Identity(decoding: lowerCase.span) }
    }

    @Test func `another ID or any other bit of the key is another identity`() throws {
        let key = [UInt8](repeating: 0xcc, count: 32)
        let identity = try identity("ECHOECHO", key)
        let renamed = try self.identity("ECHOECHA", key)
        let isSame = identity.isSame(as: renamed)
        #expect(!isSame)
        for bit in 0..<256 {
            var flipped = key
            flipped[bit / 8] ^= 1 << (bit % 8)
            let other = try self.identity("ECHOECHO", flipped)
            let isSame = identity.isSame(as: other)
            #expect(!isSame)
        }
    }
}
