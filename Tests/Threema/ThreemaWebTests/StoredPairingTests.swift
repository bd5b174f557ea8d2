import AtomicFiles
import Foundation
import KeyWrapping
import Primitives
import SecureMemory
import SessionStore
import Testing
import Threema
import VectorKit

@testable import ThreemaWeb

/// Pairings in a browser's store, and in ours.
@Suite struct StoredPairingTests {
    @Test(arguments: try Vector.all(in: .threemaClient, op: "web-trusted-key-store"))
    func `a browser's store is that of its vector`(_ vector: Vector) throws {
        let (inputs, expected) = (vector.inputs, vector.expected)
        let password = secure(try inputs.utf8("password"))
        #expect(try BrowserStore.key(password: password).copied == expected.bytes("key"))
        let stored = try expected.string("stored")
        let pairing = try BrowserStore.open(stored, password: password)
        #expect(pairing.key.bytes.copied == (try inputs.bytes("ownSecretKey")))
        #expect(pairing.key.publicKey.bytes == (try inputs.bytes("ownPublicKey")))
        #expect(pairing.peer.bytes == (try inputs.bytes("peerPublicKey")))
        if inputs.has("pushToken") {
            #expect(pairing.pushToken == WebPushToken(.fcm, try inputs.string("pushToken")))
        } else {
            #expect(pairing.pushToken == nil)
        }
        #expect(pairing.encoded.copied == (try expected.bytes("plaintext")))
        let upper = try BrowserStore.open(stored.uppercased(), password: password)
        #expect(upper.peer == pairing.peer)
        #expect(throws: TrustedPairingError.notOpened) {
            _ = try BrowserStore.open(stored, password: secure(Array("correct horsf".utf8)))
        }
    }

    @Test func `of each UTF-16 unit of a password the lower half counts`() throws {
        // Ł is 0141, so the key is that of A. The last one has the units d83d de00.
        for (password, units) in [
            ("Ł", [0x41]), ("ä", [0xe4]), ("字", [0x57]), ("😀", [0x3d, 0x00]), ("a😀Ł", [0x61, 0x3d, 0x00, 0x41]),
        ] as [(String, [UInt8])] {
            let key = try BrowserStore.key(password: secure(Array(password.utf8)))
            #expect(key.copied == Array(SHA512.hash(units.span).copied.prefix(32)))
            #expect(password.utf16.map { UInt8(truncatingIfNeeded: $0) } == units)
        }
        for invalid in [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]] as [[UInt8]] {
            #expect(throws: TrustedPairingError.passwordNotUTF8) { _ = try BrowserStore.key(password: secure(invalid)) }
        }
    }

    /// What a browser would store.
    private func stored(_ plaintext: [UInt8], _ password: String) throws -> String {
        let key = try BrowserStore.key(password: secure(Array(password.utf8)))
        let nonce = bytes(1, 24)
        return nonce.hex + ":" + key.withBytes { SecretBox.seal(plaintext.span, nonce: nonce, key: $0) }.hex
    }

    @Test func `what is refused`() throws {
        let own = Scene.initiatorKey
        let keys = own.publicKey.bytes + own.bytes.copied + Scene.responderKey.publicKey.bytes
        let cases: [([UInt8], TrustedPairingError)] = [
            (Array(keys.dropLast()), .wrongLength(95)), ([], .wrongLength(0)),
            (Scene.otherKey.publicKey.bytes + keys[32...], .keysDiffer),
            (keys[..<64] + [UInt8](repeating: 0, count: 32), .weakPeerKey), (keys + [0xff], .badPushToken),
            (keys + Array("a:".utf8), .badPushToken), (keys + Array("z:x".utf8), .badPushToken),
        ]
        for (plaintext, error) in cases {
            let text = try stored(plaintext, "p")
            #expect(throws: error) { _ = try BrowserStore.open(text, password: secure([0x70])) }
        }
        let tooLong = keys + [UInt8](repeating: 0x61, count: 4097)
        #expect(throws: TrustedPairingError.badPushToken) { _ = try TrustedPairing(decoding: tooLong.span) }
        let long = keys + [UInt8](repeating: 0x61, count: 4099)
        #expect(throws: TrustedPairingError.wrongLength(4195)) { _ = try TrustedPairing(decoding: long.span) }
        let right = try stored(keys, "p")
        #expect(try BrowserStore.open(right, password: secure([0x70])).pushToken == nil)
        for text in [
            "", ":", "a:b", right + ":", right + "0", String(right.dropFirst(2)), String(repeating: "0", count: 9000),
        ] {
            #expect(throws: TrustedPairingError.notHexadecimal) {
                _ = try BrowserStore.open(text, password: secure([0x70]))
            }
        }
        #expect(throws: TrustedPairingError.notOpened) {
            _ = try BrowserStore.open(right.prefix(49) + "00", password: secure([0x70]))
        }
    }

    @Test func `a thousand changes of a browser's store`() throws {
        let random = SeededRandom(seed: 9)
        let own = Scene.initiatorKey
        let text = try stored(own.publicKey.bytes + own.bytes.copied + Scene.responderKey.publicKey.bytes, "p")
        let password = secure([0x70])
        let right = [UInt8](hex: text.replacing(":", with: ""))!
        for _ in 0..<1000 {
            var characters = Array(text.utf8)
            characters[random.number(below: characters.count)] = UInt8(random.number(below: 0x5f) + 0x20)
            let changed = String(decoding: characters, as: UTF8.self)
            let isHex = changed.count == text.count && Array(changed.utf8)[48] == 0x3a
            let bytes = isHex ? [UInt8](hex: changed.replacing(":", with: "", maxReplacements: 1)) : nil
            guard bytes != right else { continue }
            #expect(throws: bytes == nil ? TrustedPairingError.notHexadecimal : .notOpened) {
                _ = try BrowserStore.open(changed, password: password)
            }
        }
    }

    @Test func `every pairing that is accepted comes back`() throws {
        let random = SeededRandom(seed: 11)
        let parts = ["", "a", "g:", "a:", "z:", ":", ";", "|", " ", "\n", "\0", "ä", "\u{301}", "\u{feff}", "😀", "é"]
        let limit = WebPushToken.maxBytes
        var tokens: [String] = ["", String(repeating: "x", count: limit), String(repeating: "x", count: limit + 1)]
        tokens += [String(repeating: "é", count: limit / 2), String(repeating: "é", count: limit / 2) + "x"]
        for _ in 0..<500 {
            tokens.append((0..<random.number(below: 5)).map { _ in parts[random.number(below: parts.count)] }.joined())
        }
        for text in tokens {
            let isAccepted = (1...limit).contains(text.utf8.count)
            for service in [WebPushToken.Service.fcm, .apns, .hms] {
                let token = WebPushToken(service, text)
                #expect((token != nil) == isAccepted, "\(service) \(text.prefix(20))")
                try comesBack(token)
            }
            try comesBack(WebPushToken(stored: text))
        }
    }

    /// The token is compared by its bytes.
    private func comesBack(_ token: WebPushToken?) throws {
        let pairing = TrustedPairing(key: Scene.initiatorKey, peer: Scene.responderKey.publicKey, pushToken: token)
        let encoded = pairing.encoded.copied
        let again = try TrustedPairing(decoding: encoded.span)
        #expect(again.encoded.copied == encoded)
        #expect(again.key.bytes.copied == pairing.key.bytes.copied && again.peer == pairing.peer)
        #expect(again.pushToken?.service == token?.service)
        #expect(again.pushToken.map { Array($0.token.utf8) } == token.map { Array($0.token.utf8) })
    }

    @Test func `a pairing is stored under our own protection`() throws {
        let path =
            URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath().path() + "web-pairing-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: path) }
        let pairing = TrustedPairing(
            key: Scene.initiatorKey, peer: Scene.responderKey.publicKey,
            pushToken: WebPushToken(.apns, "abc;p;ch.example"))
        // The keystore's key protects the store, a passphrase the keystore's key.
        let passphrase = secure(Array("correct horse".utf8))
        let file = try WrappedKey.protected(MasterKey(secure(bytes(6))), by: passphrase, .scrypt).file.copied
        func withStore<Result>(_ body: (OpenSessionStore) throws -> Result) throws -> Result {
            let master = try WrappedKey(secure(file)).open(passphrase: passphrase)
            let store = try OpenSessionStore(
                in: Directory.open(path, rule: .secret), messenger: "threema", id: "ABCD1234",
                key: secure(master.bytes.copied))
            defer { store.close() }
            return try body(store)
        }
        let encoded = pairing.encoded.copied
        try withStore { store in
            try store.transaction { try $0.set("webpairing", pairing.key.publicKey.bytes, encoded.span) }
        }
        let read = try withStore { try $0.read("webpairing", pairing.key.publicKey.bytes)?.copied ?? [] }
        let again = try TrustedPairing(decoding: read.span)
        #expect(again.encoded.copied == encoded && again.pushToken == pairing.pushToken)
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            let content = try Data(contentsOf: URL(filePath: path).appending(path: name))
            #expect(content.range(of: Data(pairing.key.bytes.copied)) == nil)
        }
        // What was stored pairs again.
        let server = TestPath()
        try server.connect(Client(Scene.initiator(.peer(again.peer))), at: 1)
        try server.connect(Client(Scene.responder(nil)), at: 2)
        #expect(server.relayed.count == 4 && server.closed.isEmpty)
    }
}
