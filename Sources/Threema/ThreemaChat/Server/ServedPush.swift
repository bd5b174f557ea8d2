internal import SecureMemory
internal import ThreemaMessages

/// Where a server notifies one identity that a message waits.
struct ServedPush: ~Copyable {
    private var token = PushToken.none
    private var key: PushKey?

    /// Takes a client's registration. A malformed one changes nothing.
    mutating func note(_ registration: EnclosedBytes) {
        var found: PushKey?
        let token = registration.bytes.withBytes { bytes in
            PushToken.decode(bytes) { (key: consuming PushKey) in found = consume key }
        }
        guard let token else { return }
        self.token = token
        key = found
    }

    /// What a platform's service carries for a message.
    /// - Returns: nil if there is no token, or if the sender does not want a notification. A server cannot see whether a
    ///   message is to a group.
    func notification(of message: MessagePayload) -> (token: PushToken, payload: [UInt8])? {
        guard message.flags.contains(.push), token != .none else { return nil }
        switch key {
        case .some(let key):
            let notification = PushNotification(
                isGroup: false, sender: message.sender, messageID: message.id, isCall: false)
            return (token, notification.sealed(key: key))
        case .none: return (token, [])
        }
    }
}
