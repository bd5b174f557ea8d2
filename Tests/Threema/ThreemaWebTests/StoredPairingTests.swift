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
        // It is written with the same bytes, also if the pairing has a server, which a browser does not store.
        let nonce = try inputs.bytes("nonce")
        let served = TrustedPairing(
            key: pairing.key, peer: pairing.peer, pushToken: pairing.pushToken,
            server: try SignalingServer(host: "example.org", port: 1, key: nil))
        for each in [pairing, served] {
            #expect(try BrowserStore.seal(each, password: password, nonce: nonce) == stored)
        }
        let fresh = try BrowserStore.seal(pairing, password: password)
        let fresher = try BrowserStore.seal(pairing, password: password)
        #expect(fresh != stored && fresh != fresher)
        #expect(try BrowserStore.open(fresh, password: password).encoded.copied == pairing.encoded.copied)
        #expect(throws: TrustedPairingError.passwordNotUTF8) {
            try BrowserStore.seal(pairing, password: secure([0xff]))
        }
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
            (keys + Array("g:x\0".utf8), .badPushToken), (keys + [0] + bytes(1, 34) + [0x61], .badPushToken),
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

    @Test func `ten thousand changes of a browser's store`() throws {
        let random = SeededRandom(seed: 9)
        let own = Scene.initiatorKey
        let text = try stored(own.publicKey.bytes + own.bytes.copied + Scene.responderKey.publicKey.bytes, "p")
        let password = secure([0x70])
        let right = [UInt8](hex: text.replacing(":", with: ""))!
        for _ in 0..<10_000 {
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
            let isAccepted = (1...limit).contains(text.utf8.count) && !text.utf8.contains(0)
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
        for server in [nil, try SignalingServer(host: "::1", port: 443, key: Scene.serverKey.publicKey)] {
            try comesBack(token, server)
        }
    }

    private func comesBack(_ token: WebPushToken?, _ server: SignalingServer?) throws {
        let pairing = TrustedPairing(
            key: Scene.initiatorKey, peer: Scene.responderKey.publicKey, pushToken: token, server: server)
        let encoded = pairing.encoded.copied
        let again = try TrustedPairing(decoding: encoded.span)
        #expect(again.encoded.copied == encoded && again.server == server)
        #expect(again.key.bytes.copied == pairing.key.bytes.copied && again.peer == pairing.peer)
        #expect(again.pushToken?.service == token?.service)
        #expect(again.pushToken.map { Array($0.token.utf8) } == token.map { Array($0.token.utf8) })
    }

    @Test func `a stored server is read, or refused`() throws {
        let keys = TrustedPairing(
            key: Scene.initiatorKey, peer: Scene.responderKey.publicKey, pushToken: nil, server: nil
        ).encoded.copied
        let key = Scene.serverKey.publicKey.bytes
        func read(_ rest: [UInt8]) throws -> SignalingServer? {
            try TrustedPairing(decoding: (keys + rest).span).server
        }
        // Before pairings had servers.
        for rest in ["", "g:x"] { #expect(try read(Array(rest.utf8)) == nil) }
        let server = try SignalingServer(host: "192.0.2.7", port: 0x1234, key: Scene.serverKey.publicKey)
        #expect(try read([0] + key + [0x12, 0x34] + Array("192.0.2.7".utf8)) == server)
        #expect(try read(Array("g:x".utf8) + [0] + key + [0x12, 0x34] + Array("192.0.2.7".utf8)) == server)
        #expect(try read([0] + [UInt8](repeating: 0, count: 32) + [0, 1, 0x61])?.key == nil)
        for (rest, error) in [
            ([], .tooShort(minimum: 35, actual: 0)), (key + [0, 1], .tooShort(minimum: 35, actual: 34)),
            (key + [0, 0, 0x61], .noPort), (key + [0, 1, 0x2f], .badHost), (key + [0, 1, 0xff], .badHost),
            ([1] + [UInt8](repeating: 0, count: 31) + [0, 1, 0x61], .weakServerKey),
            (key + [0, 1] + [UInt8](repeating: 0x61, count: 254), .tooLong(limit: 287, actual: 288)),
        ] as [([UInt8], PairingError)] {
            #expect(throws: TrustedPairingError.badServer(error)) { try read([0] + rest) }
        }
    }

    @Test func `ten thousand changes of a stored pairing are read as what they say, or refused`() throws {
        let random = SeededRandom(seed: 21)
        let right = TrustedPairing(
            key: Scene.initiatorKey, peer: Scene.responderKey.publicKey, pushToken: WebPushToken(.fcm, "token"),
            server: try SignalingServer(host: "example.org", port: 443, key: Scene.serverKey.publicKey)
        ).encoded.copied
        var (read, refused) = (0, 0)
        for index in 0..<10_000 {
            var changed = random.changed(right)
            if index % 3 == 0 { changed.removeLast(random.number(below: 60)) }
            // The keys prove each other, so a change of them is refused; most changes are behind them.
            if index % 2 == 0 { changed[..<64] = right[..<64] }
            do throws(TrustedPairingError) {
                #expect(try TrustedPairing(decoding: changed.span).encoded.copied == changed)
                read += 1
            } catch {
                refused += 1
            }
        }
        #expect(read > 500 && refused > 500)
    }

    @Test func `a pairing is stored under our own protection`() throws {
        let path =
            URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath().path() + "web-pairing-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: path) }
        let pairing = TrustedPairing(
            key: Scene.initiatorKey, peer: Scene.responderKey.publicKey,
            pushToken: WebPushToken(.apns, "abc;p;ch.example"),
            server: try SignalingServer(host: "saltyrtc.example.org", port: 443, key: Scene.serverKey.publicKey))
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
        // What was stored pairs again, with the server that proves itself.
        #expect(again.server == pairing.server)
        let server = TestPath()
        try server.connect(Client(Scene.initiator(.peer(again.peer), serverKey: again.server?.key)), at: 1)
        try server.connect(Client(Scene.responder(nil)), at: 2)
        #expect(server.relayed.count == 4 && server.closed.isEmpty)
    }
}
