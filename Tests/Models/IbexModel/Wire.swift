import SecureMemory
import Threema
import ThreemaForwardSecurity
import ThreemaMessages

/// The chat server between two sides, and who watches it: no key and no nonce may be seen with two messages.
package final class Wire {
    /// What the server has for each side, by the receiver's place.
    package var queues: [[[UInt8]]] = [[], []]
    /// IDs of messages that the server has lost, or whose rejection it has lost.
    package var lost: Set<MessageID> = []
    /// How many messages were seen.
    package private(set) var count = 0
    private var keys: [KeyUse: [UInt8]] = [:]
    private var accepts: [[SessionID: [UInt8]]] = [[:], [:]]
    private var nonces: [MessageNonce: [UInt8]] = [:]

    private struct KeyUse: Hashable {
        let session: SessionID
        let mode: DHMode
        let sender: Int
        /// The public key in the sender's Accept, if it was sent one: a client that was installed again may accept an
        /// Init twice, and then has other keys under the same ID.
        let accepted: [UInt8]?
        let counter: UInt64
    }

    package init() {}

    /// Sees a message that leaves its sender, also if it gets lost at once.
    package func watch(_ payload: [UInt8], from sender: Side, _ place: Int) throws {
        let message = try MessagePayload(decoding: payload.span)
        if let before = nonces.updateValue(payload, forKey: message.nonce) {
            guard before == payload else { throw Violation("a nonce was sent with two messages") }
            return
        }
        count += 1
        guard let envelope = try envelope(message, sender) else { return }
        if case .accept(let share) = envelope.content { accepts[place][envelope.session] = share.publicKey }
        guard case .encapsulated(let inner) = envelope.content else { return }
        let use = KeyUse(
            session: envelope.session, mode: inner.mode, sender: place, accepted: accepts[place][envelope.session],
            counter: inner.counter)
        if let before = keys.updateValue(inner.box, forKey: use), before != inner.box {
            throw Violation("a key was used for two messages")
        }
    }

    /// Loses a message that the server had acknowledged.
    package func lose(_ payload: [UInt8], _ sender: Side) throws {
        let message = try MessagePayload(decoding: payload.span)
        lost.insert(message.id)
        try loseRejection(payload, sender)
    }

    /// Loses a message that is a rejection: what was rejected is not sent again.
    package func loseRejection(_ payload: [UInt8], _ sender: Side) throws {
        let message = try MessagePayload(decoding: payload.span)
        if let envelope = try envelope(message, sender), case .reject(let rejection) = envelope.content {
            lost.insert(rejection.messageID)
        }
    }

    /// - Returns: nil for a message without forward security.
    private func envelope(_ message: MessagePayload, _ sender: Side) throws -> Envelope? {
        guard case .forwardSecurity(let bytes, _) = try message.open(keys: sender.parties.keys).body else { return nil }
        return try Envelope(decoding: bytes.span)
    }
}
