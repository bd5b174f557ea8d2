internal import SecureMemory
internal import SessionStore
internal import Threema
internal import ThreemaChat
public import ThreemaMessages

// Push notifications. A registration is stored before it is sent. No server acknowledges one, so an echo request goes
// behind it: its response proves that the server has read what came before. Until then, each connection begins with it.

/// What a push notification says.
public enum Push: Equatable, Sendable {
    /// Connect: something waits. Everybody can send this; it costs a connection.
    case wakeUp
    /// This message waits. The server has sealed it.
    case message(PushNotification)
}

extension Mailbox {
    /// Stores where notifications go, with a fresh key if the service is Apple's. The next connection tells the server;
    /// ``MessageClient/registerPush()`` does it at once.
    ///
    /// Call it whenever the program starts: for the token that is stored nothing changes. For another one, the keys
    /// before the fresh one stay in use as with ``renewPushKey()``.
    /// - Parameter token: `.none` forgets token and keys. It does not read what is stored, so it also removes a damaged
    ///   registration.
    /// - Throws: `ChatSendingError.tooLong` for a token of more bytes than a server takes; `.malformedValue`, also for
    ///   a token that a server would read as another one, because its bundle ID or app ID has a `|`;
    ///   `SessionStoreError`. Then nothing has changed.
    public func setPushToken(_ token: PushToken) throws {
        let former = token == .none ? nil : try pushRegistration()
        guard former?.token != token else { return }
        let registration = PushRegistration(token, after: former)
        let (limit, count) = (ChatFrame.maxBoxCount - ChatFrame.minBoxCount, registration.payload.bytes.count)
        guard count <= limit else { throw ChatSendingError.tooLong(limit: limit, actual: count) }
        let readToken = registration.payload.bytes.withBytes { PushToken.decode($0) }
        guard readToken == token else { throw MailboxError.malformedValue(own.id) }
        try store.transaction { try set(registration, in: $0) }
    }

    /// Stores a fresh key for notifications, as ``setPushToken(_:)`` does for a token.
    ///
    /// The key before it opens notifications for another 14 days after the server has the fresh one, because some may be
    /// on their way: as long as a message waits at the server. At most 16 keys are kept.
    ///
    /// Nothing changes without a key, and while the server is not known to have the last one.
    /// - Throws: `.malformedValue`, `SessionStoreError`. Then nothing has changed.
    public func renewPushKey() throws {
        guard let former = try pushRegistration(), former.isKnown, former.key != nil else { return }
        try store.transaction { try set(PushRegistration(former.token, after: former), in: $0) }
    }

    /// Opens the payload of a notification.
    /// - Parameter payload: what the server has sent, without what the platform puts around it. If the stored token is one
    ///   of Google's or Huawei's, no bytes are a wake-up.
    /// - Throws: `PushNotificationError`: `.notAuthentic` if no key of this store opens it; `.malformedValue`,
    ///   `SessionStoreError`.
    public func openPush(_ payload: Span<UInt8>) throws -> Push {
        let registration = try pushRegistration()
        switch registration?.token {
        case .fcm, .hms: if payload.isEmpty { return .wakeUp }
        case .apns, .some(.none), nil: break
        }
        for key in registration?.keys(at: now()) ?? [] {
            do throws(PushNotificationError) {
                return .message(try PushNotification(payload, key: key.pushKey))
            } catch {
                guard error == .notAuthentic else { throw error }
            }
        }
        throw PushNotificationError.notAuthentic
    }

    /// What a connection begins with: nothing if the server is known to have it. Keys whose time is over are removed.
    func unsentPushRegistration() throws -> [ChatPayload] {
        guard var registration = try pushRegistration() else { return [] }
        if registration.forget(at: now()) { try store.transaction { try set(registration, in: $0) } }
        return registration.isKnown ? [] : [.pushToken(registration.payload), .echoRequest(registration.mark)]
    }

    /// The server has read all that came before an echo request.
    func echoed(_ mark: [UInt8]) throws {
        guard var registration = try pushRegistration(), !registration.isKnown, registration.mark == mark else {
            return
        }
        registration.taken(at: now())
        try store.transaction { changes in
            if registration.token == .none {
                try changes.remove("push", Self.pushName)
            } else {
                try set(registration, in: changes)
            }
        }
    }

    func set(_ registration: PushRegistration, in changes: borrowing Transaction) throws {
        try registration.encoded.withBytes { try changes.set("push", Self.pushName, $0) }
    }

    func pushRegistration() throws -> PushRegistration? {
        guard let value = try store.read("push", Self.pushName) else { return nil }
        guard let registration = value.withBytes({ PushRegistration(decoding: $0) }) else {
            throw MailboxError.malformedValue(own.id)
        }
        return registration
    }

    static let pushName: [UInt8] = [0]
}
