internal import Primitives
internal import SecureMemory
public import Threema
public import ThreemaMessages

// The handshake:
//
//   client-hello  48  TCK.pub (32) ‖ client cookie (16)
//   server-hello  80  server cookie (16) ‖ box(SS(SK, TCK), server's number 1)(TSK.pub (32) ‖ client cookie (16))
//   login      144+n  box(session, client's number 1)(login data) ‖ box(session, client's number 2)(extensions)
//   login-ack     32  box(session, server's number 2)(acknowledgement)
//
// Payloads follow, each side's from number 3.

/// Seals and opens the hellos, by which client and server agree on keys.
public enum Hello {
    /// Length of a client's hello in bytes.
    public static let clientCount = PublicKey.count + ChatCookie.count
    /// Length of a server's hello in bytes.
    public static let serverCount = ChatCookie.count + Box.tagCount + PublicKey.count + ChatCookie.count

    /// - Returns: 48 bytes.
    public static func client(_ temporaryKey: PublicKey, _ cookie: ChatCookie) -> [UInt8] {
        temporaryKey.bytes + cookie.bytes
    }

    /// Reads a client's hello.
    /// - Parameter bytes: 48 bytes.
    /// - Throws: `.weakTemporaryKey`.
    public static func decodeClient(_ bytes: Span<UInt8>) throws(ChatError) -> (PublicKey, ChatCookie) {
        precondition(bytes.count == clientCount)
        guard let key = PublicKey(bytes.publicBytes(0..<PublicKey.count)) else { throw .weakTemporaryKey }
        return (key, ChatCookie(bytes.publicBytes(PublicKey.count..<clientCount)))
    }

    /// Seals a server's hello.
    /// - Parameters:
    ///   - temporaryKey: the server's.
    ///   - cookie: the server's.
    ///   - client: what the client's hello says.
    /// - Returns: 80 bytes.
    /// - Throws: `.weakTemporaryKey`, `.cookiesAreEqual`.
    public static func server(
        _ temporaryKey: PublicKey, _ cookie: ChatCookie, key: ServerKey, client: (PublicKey, ChatCookie)
    ) throws(ChatError) -> [UInt8] {
        guard cookie != client.1 else { throw .cookiesAreEqual }
        do throws(SharedKeyError) {
            let shared = try ChatSecrets.shared(key.bytes, client.0)
            let plaintext = temporaryKey.bytes + client.1.bytes
            return cookie.bytes + Box.seal(plaintext.span, nonce: ChatNonces(cookie).next, sharedKey: shared)
        } catch {
            throw .weakTemporaryKey
        }
    }

    /// Opens a server's hello with each of its permanent keys.
    /// - Parameters:
    ///   - bytes: 80 bytes.
    ///   - temporaryKey: the client's.
    ///   - clientCookie: the client's.
    ///   - serverKeys: the permanent keys that this server may have.
    /// - Throws: `.serverHelloNotAuthentic`, `.clientCookieNotRepeated`, `.cookiesAreEqual`, `.weakTemporaryKey`.
    public static func open(
        _ bytes: Span<UInt8>, temporaryKey: TemporaryKey, clientCookie: ChatCookie, serverKeys: [PublicKey]
    ) throws(ChatError) -> OpenedHello {
        precondition(bytes.count == serverCount)
        let cookie = ChatCookie(bytes.publicBytes(0..<ChatCookie.count))
        guard cookie != clientCookie else { throw .cookiesAreEqual }
        let box = bytes.extracting(ChatCookie.count..<serverCount)
        for serverKey in serverKeys {
            guard let plaintext = open(box, cookie, temporaryKey, serverKey) else { continue }
            guard Array(plaintext[PublicKey.count...]) == clientCookie.bytes else { throw .clientCookieNotRepeated }
            guard let temporary = PublicKey(Array(plaintext[..<PublicKey.count])) else { throw .weakTemporaryKey }
            return OpenedHello(cookie: cookie, temporaryKey: temporary, permanentKey: serverKey)
        }
        throw .serverHelloNotAuthentic
    }

    /// - Returns: nil if this is not the server's key.
    private static func open(
        _ box: Span<UInt8>, _ cookie: ChatCookie, _ temporaryKey: TemporaryKey, _ serverKey: PublicKey
    ) -> [UInt8]? {
        do {
            let shared = try ChatSecrets.shared(temporaryKey.bytes, serverKey)
            return try Box.openPublic(box, nonce: ChatNonces(cookie).next, sharedKey: shared)
        } catch {
            return nil
        }
    }
}

/// What a server's hello says.
public struct OpenedHello: Equatable, Sendable {
    /// The server's cookie, 16 bytes: the beginning of its nonces.
    public let cookie: ChatCookie
    /// The server's public key for this connection, 32 bytes.
    public let temporaryKey: PublicKey
    /// Which of the server's permanent keys it has.
    public let permanentKey: PublicKey
}
