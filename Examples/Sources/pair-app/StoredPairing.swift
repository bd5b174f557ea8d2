import Foundation
import SecureMemory
import Threema
import ThreemaTransport
import ThreemaWeb

/// What a web client stores of a pairing, and does with it when its user comes back.
enum StoredPairing {
    /// - Parameters:
    ///   - url: of a relay.
    ///   - authority: a file with the certificate that has signed that of the relay.
    static func comeBack(to server: SignalingServer, relayAt url: String, _ authority: String) throws {
        let pairing = TrustedPairing(
            key: .random(), peer: ClientKey.random().publicKey, pushToken: WebPushToken(.fcm, "a token"), server: server
        )
        let password = SecureBytes(copying: Array((readLine() ?? "").utf8).span)
        let text = try BrowserStore.seal(pairing, password: password)
        print("a browser stores \(text.utf8.count) characters")
        let again = try BrowserStore.open(text, password: password)

        // A program seals these bytes in a SessionStore. They have the server, too.
        let stored = pairing.encoded
        let own = try stored.withBytes { (bytes) throws(TrustedPairingError) in try TrustedPairing(decoding: bytes) }
        print("a program stores \(stored.count) bytes, with \(own.server?.host ?? "no server")")

        let relay = try PushRelay(url: url, authority: [UInt8](Data(contentsOf: URL(filePath: authority))))
        let session = PushSession(initiatorKey: again.key.publicKey)
        let request = try PushRelayRequest(again.pushToken!, session: session, version: 2, timeToLive: 90)
        try PushRelayClient(relay, userAgent: "pair-app").send(request)
        print("the relay has told the app")

        // What the push service brings.
        let payload = try PushWakeUp(session: session, affiliation: nil, unixSeconds: 1_800_000_000, version: 2).encoded
        let wakeUp = try PushWakeUp(payload.span)
        print("the app looks for the same pairing:", wakeUp.session == PushSession(initiatorKey: own.key.publicKey))
    }
}
