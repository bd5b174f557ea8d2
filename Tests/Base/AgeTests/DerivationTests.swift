import Primitives
import SecureMemory
import Testing
import VectorKit

@testable import Age

/// Values of the published files, step by step.
@Suite struct DerivationTests {
    private let fileKey = Array("YELLOW SUBMARINE".utf8)

    /// Whole files, byte for byte, from secrets that the vectors name.
    @Test(arguments: try Vector.all(in: .ageFile)) func `files of another implementation`(_ vector: Vector) throws {
        let part = try vector.inputs.bytes("content")
        let content = Array(repeatElement(part, count: try vector.inputs.integer("times")).joined())
        let fileKey = AgeFileKey(SecureBytes(copying: try vector.inputs.bytes("file_key")))
        let nonce = try vector.inputs.bytes("nonce")
        var file: [UInt8] = []
        let sink = ByteSink({ file += $0.copied }, isArmored: try vector.inputs.bool("armored"))
        var writer: AgeWriter
        if vector.inputs.has("passphrase") {
            writer = try AgeWriter(
                passphrase: Sample.secret(vector.inputs.string("passphrase")),
                workFactor: vector.inputs.integer("work_factor"), salt: vector.inputs.bytes("salt"),
                fileKey: fileKey, nonce: nonce, sink)
        } else {
            let ephemerals = try vector.inputs.strings("ephemerals").map { try #require([UInt8](hex: $0)) }
            writer = try AgeWriter(
                to: vector.expected.strings("recipients").map { try AgeRecipient($0) },
                ephemerals: { SecureBytes(copying: ephemerals[$0]) }, fileKey: fileKey, nonce: nonce, sink)
        }
        try writer.write(content.span)
        try writer.finish()
        if vector.expected.has("file") { #expect(try vector.expected.string("file") == file.hex) }
        #expect(try vector.expected.string("sha256") == SHA256.hash(file.span).hex)
        for (number, secret) in try (vector.expected.has("recipients") ? vector.inputs.strings("identities") : [])
            .enumerated()
        {
            let identity = AgeIdentity(secret: SecureBytes(copying: try #require([UInt8](hex: secret))))
            #expect(try identity.recipient.description == vector.expected.strings("recipients")[number])
            let isSame = try Sample.opened(file, identity) == content
            #expect(isSame)
        }
    }

    @Test func `keys of a file key`() throws {
        let nonce = try #require([UInt8](hex: "eecf62c7ce91b433274e68d4f2f9134c"))
        let key = AgeFileKey(SecureBytes(copying: fileKey.span))
        let (headerKey, payloadKey) = (
            key.deriveKey(salt: [], info: "header").copied, key.deriveKey(salt: nonce, info: "payload").copied
        )
        #expect(headerKey.hex == "a4bf3b9f4e908993e678eb71e558faedac5829d1d632c50225217c066fec77d2")
        #expect(payloadKey.hex == "6b6c189a7af0e7b1dba932c87080d8926b2de53fbf9eac516394701223669022")
    }

    @Test func `the header of the published file for a recipient`() throws {
        let file = try AgeFile(CCTV.named("x25519").file)
        #expect(file.header.covered.count == 123)
        #expect(file.header.code.hex == "5b2269f45ffd14e661ee025d85eab658825cc0781873c348561ddd77086b70d8")
        #expect(
            file.header.stanzas.map(\.body.hex) == ["86369b197c122d0f5cdd2e8bc368be4b64eed9f8b04071ec95b04de81e3514b1"])
    }

    /// The ephemeral secret of the published file is not published, so this one has its own; Python opens it.
    @Test func `a stanza for a recipient is what another implementation expects`() throws {
        let ephemeral = [UInt8](repeating: 7, count: 32)
        let secret = [UInt8](repeating: 9, count: 32)
        let identity = AgeIdentity(secret: SecureBytes(copying: secret.span))
        let key = AgeFileKey(SecureBytes(copying: fileKey.span))
        let stanza = X25519Stanza.wrap(
            key, for: identity.recipient, ephemeral: SecureBytes(copying: ephemeral.span))
        let script = """
            from kit import agefile
            recipient = agefile.decode_key(sys.argv[1], "age")
            stanza = agefile.x25519_stanza(b"YELLOW SUBMARINE", recipient, bytes([7]) * 32)
            print(agefile.stanza_text(*stanza).decode(), end="")
            """
        let expected = try PythonAge.run(["-c", "\n" + script, identity.recipient.description])
        #expect(stanza.encoded == expected)
    }

    @Test func `the stanza of the published file under a passphrase`() throws {
        let file = try AgeFile(CCTV.named("scrypt").file)
        let salt = try #require([UInt8](hex: "ac5d3f3706e55071d3a604204697b909"))
        let key = AgeFileKey(SecureBytes(copying: fileKey.span))
        let stanza = try ScryptStanza.wrap(key, passphrase: Sample.secret("password"), salt: salt, workFactor: 10)
        #expect(file.header.stanzas == [stanza])
        #expect(stanza.body.hex == "8148c4ca614a3155d010a74c3072f6e2861ec631374c80b43b4cc64aa2766946")
    }
}
