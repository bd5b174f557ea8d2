import Primitives
import SecureMemory
import Testing
import VectorKit

@testable import Age

@Suite struct KeyTests {
    private static let identity = "AGE-SECRET-KEY-1EGTZVFFV20835NWYV6270LXYVK2VKNX2MMDKWYKLMGR48UAWX40Q2P2LM0"
    private static let recipient = "age1xmwwc06ly3ee5rytxm9mflaz2u56jjj36s0mypdrwsvlul66mv4q47ryef"

    @Test func `an identity, its text and its recipient`() throws {
        let identity = try Sample.identity(Self.identity)
        let (text, secret) = (identity.revealText().copied, identity.secret.copied)
        #expect(String(decoding: text, as: UTF8.self) == Self.identity)
        #expect(secret.hex == "ca1626252c53cf1a4dc46695e7fcc46594cb4ccadedb6712dfda0753f3ae355e")
        #expect(identity.recipient.description == Self.recipient)
        #expect(try AgeRecipient(Self.recipient) == identity.recipient)
    }

    @Test func `an identity is the one of its bytes`() throws {
        let identity = try Sample.identity(Self.identity)
        guard let again = AgeIdentity(bytes: identity.revealBytes()) else {
            Issue.record("refused")
            return
        }
        let isSame = again.recipient == identity.recipient
        #expect(isSame)
        for count in [16, 31, 33] {
            switch AgeIdentity(bytes: SecureBytes(count: count) { _ in }) {
            case .none: break
            case .some: Issue.record("accepted: \(count) bytes")
            }
        }
    }

    @Test func `every random identity is read again`() throws {
        for _ in 0..<50 {
            let identity = AgeIdentity.random()
            let text = identity.revealText()
            #expect(text.count == 74)
            let again = try text.withBytes { try AgeIdentity($0) }
            let isSame = again.secret.copied == identity.secret.copied
            #expect(isSame && again.recipient == identity.recipient)
            #expect(identity.recipient.description.utf8.count == 62)
            #expect(try AgeRecipient(identity.recipient.description) == identity.recipient)
        }
    }

    @Test(arguments: [
        ("", AgeKeyError.notKey), ("age", .notKey), ("age1", .notKey), (recipient.uppercased(), .malformed),
        (identity.lowercased(), .malformed), (identity, .isIdentity), (recipient + "q", .checksum),
        (recipient.replacing("xmww", with: "xwmw"), .checksum), (recipient.replacing("xmww", with: "xMww"), .malformed),
        (" " + recipient, .character(position: 1)), (recipient + "\n", .character(position: 63)),
        (recipient.replacing("06ly", with: "06iy"), .character(position: 12)),
        ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ", .unsupported(.ssh)),
        (String(repeating: "q", count: 5000), .notKey),
    ]) func `texts that are not recipients`(_ text: String, _ error: AgeKeyError) {
        #expect(throws: error) { try AgeRecipient(text) }
    }

    @Test(arguments: [
        (recipient, AgeKeyError.isRecipient), (recipient.uppercased(), .malformed), (identity.lowercased(), .malformed),
        (identity.replacing("EGTZ", with: "EGZT"), .checksum), (String(identity.dropLast()), .checksum),
    ]) func `texts that are not identities`(_ text: String, _ error: AgeKeyError) {
        #expect(throws: error) { _ = try Sample.identity(text) }
    }

    /// The prefixes of age 1.3 and of plugins, with any content.
    @Test(arguments: [
        ("age1pq", AgeKeyError.Kind.postQuantum), ("AGE-SECRET-KEY-PQ-", .postQuantum), ("age1tag", .hardware),
        ("age1tagpq", .hardware), ("age1yubikey", .plugin("yubikey")), ("AGE-PLUGIN-YUBIKEY-", .plugin("yubikey")),
    ]) func `kinds of keys that are not supported have names`(_ prefix: String, _ kind: AgeKeyError.Kind) throws {
        let script = "import sys; from kit import agefile; print(agefile.encode_key(sys.argv[1].lower(), bytes(40)))"
        let output = try PythonAge.run(["-c", script, prefix])
        let lower = String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)
        let text = prefix.first == "A" ? lower.uppercased() : lower
        #expect(throws: AgeKeyError.unsupported(kind)) { try AgeRecipient(text) }
        #expect(throws: AgeKeyError.unsupported(kind)) { _ = try Sample.identity(text) }
    }

    @Test func `a point of low order is no recipient`() {
        for last: UInt8 in [0, 0x80] {
            let point = [UInt8](repeating: 0, count: 31) + [last]
            let text = AgeRecipient(publicKey: point).description
            #expect(throws: AgeKeyError.malformed) { try AgeRecipient(text) }
        }
    }

    @Test func `lines of a key file`() throws {
        let text = Array("# created\r\n\n  \(Self.identity) \r\n#x\n\tage1\nlast".utf8)
        let file = try AgeKeyFile(text.span)
        #expect(file.lines.map(\.number) == [3, 5, 6])
        let lines = file.lines.map { String(decoding: text[$0.bytes], as: UTF8.self) }
        #expect(lines == [Self.identity, "age1", "last"])
        #expect(try AgeKeyFile(Span()).lines.isEmpty)
        let (most, more) = ([UInt8](repeating: 65, count: 1 << 20), [UInt8](repeating: 65, count: 1 << 20 + 1))
        #expect(try AgeKeyFile(most.span).lines.map(\.bytes) == [0..<1 << 20])
        #expect(throws: AgeKeyFileError.tooLong(limit: 1 << 20)) { try AgeKeyFile(more.span) }
    }
}
