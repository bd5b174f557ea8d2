internal import SecureMemory
public import Threema

/// Decides about one incoming message. It asks one question after the other and touches no store, clock or server; who
/// drives it answers each question by the method that it names, until the step is `.finished`.
///
/// The order is that of the protocol: payload, nonce, receiver, contact, metadata, message box, type, body, forward
/// security, message ID, duplicates, blocked contacts. What is cheap comes before what costs, and nothing that an
/// outsider could have sent is stored.
public struct IncomingPipeline: Sendable {
    /// What the driver does next.
    public enum Step: Equatable, Sendable {
        /// Look it up among the used nonces, then call `answer(nonceIsUsed:)`.
        case lookUpNonce(NonceDigest)
        /// Find the public key: of a special contact, a stored contact, one that the directory gave in the last ten
        /// minutes, or the directory, in this order. Then call `open(keys:isBlocked:)`, or `refuseSender()` if there is
        /// no such ID, it was revoked, or `ContactKeys` refuses its public key.
        case findContact(ThreemaID)
        /// Give the envelope to the session with this contact, then call `answer(unwrapped:)`. What that changes in the
        /// session is stored with the result, not before.
        case unwrap([UInt8], from: ThreemaID)
        /// Look it up among the received messages, then call `answer(isDuplicate:)`.
        case lookUpOrigin(MessageOrigin)
        /// This is decided.
        case finished(IncomingResult)
    }

    private enum State: Equatable {
        case nonce
        case contact
        case envelope(MessageMetadata?)
        case origin(Message)
        case finished
    }

    private let own: ThreemaID
    private let payload: MessagePayload?
    private let payloadError: MessagePayloadError?
    private let acknowledgement: IncomingResult.Acknowledgement
    private var state = State.nonce
    private var isBlocked = false
    private var needsReplayProtection = true

    /// - Parameters:
    ///   - payload: as the chat server has delivered it.
    ///   - own: who receives.
    public init(_ payload: Span<UInt8>, own: ThreemaID) {
        self.own = own
        acknowledgement = IncomingResult.Acknowledgement(of: payload)
        do throws(MessagePayloadError) {
            self.payload = try MessagePayload(decoding: payload)
            payloadError = nil
        } catch {
            self.payload = nil
            payloadError = error
        }
    }

    /// The first step. Call it once; then answer each step until it is `.finished`.
    public mutating func start() -> Step {
        precondition(state == .nonce)
        guard let payload else { return discard(.payload(payloadError!)) }
        return .lookUpNonce(payload.nonce.digest(for: own))
    }

    /// Goes on after `.lookUpNonce`; after another step the process ends.
    public mutating func answer(nonceIsUsed: Bool) -> Step {
        precondition(state == .nonce)
        guard let payload else { preconditionFailure("nothing was asked") }
        guard !nonceIsUsed else { return discard(.nonceReused) }
        guard payload.receiver == own else { return discard(.notForMe(payload.receiver)) }
        guard payload.sender != own else { return discard(.fromMe) }
        state = .contact
        return .findContact(payload.sender)
    }

    /// Goes on after `.findContact` if there is no such contact.
    public mutating func refuseSender() -> Step {
        precondition(state == .contact)
        return discard(.invalidSender)
    }

    /// Goes on after `.findContact`.
    /// - Parameters:
    ///   - keys: own ones and those of that contact.
    ///   - isBlocked: whether the receiver wants nothing of this contact.
    public mutating func open(keys: borrowing ContactKeys, isBlocked: Bool) -> Step {
        precondition(state == .contact)
        guard let payload else { preconditionFailure("nothing was asked") }
        self.isBlocked = isBlocked
        let metadata: MessageMetadata?
        do throws(MessageError) {
            metadata = try payload.openMetadata(keys: keys)
        } catch {
            return discard(.metadata(error))
        }
        let container: SecureBytes
        do throws(MessageError) {
            container = try payload.openContainer(keys: keys)
        } catch {
            return discard(.box(error))
        }
        // From here on the sender has made it.
        do throws(DiscardReason) {
            let body = try container.withBytes { (bytes) throws(DiscardReason) in
                let end: Int
                do throws(MessageError) {
                    end = try MessageContainer.body(of: bytes).upperBound
                } catch {
                    throw .box(error)
                }
                return try self.body(bytes.extracting(0..<end))
            }
            guard case .forwardSecurity(let envelope, _) = body else { return received(metadata, body) }
            state = .envelope(metadata)
            return .unwrap(envelope, from: payload.sender)
        } catch {
            return discard(error, isAuthentic: true)
        }
    }

    /// Goes on after `.unwrap`.
    /// - Parameter unwrapped: type and body from the envelope; nil if it holds none, or none that opens.
    public mutating func answer(unwrapped: Span<UInt8>?) -> Step {
        guard case .envelope(let metadata) = state else { preconditionFailure("nothing was asked") }
        guard let unwrapped else { return discard(.forwardSecurity, isAuthentic: true) }
        do throws(DiscardReason) {
            let body = try body(unwrapped)
            if case .forwardSecurity = body { throw .nestedEnvelope }
            return received(metadata, body)
        } catch {
            return discard(error, isAuthentic: true)
        }
    }

    /// Goes on after `.lookUpOrigin`; after another step the process ends.
    public mutating func answer(isDuplicate: Bool) -> Step {
        guard case .origin(let message) = state else { preconditionFailure("nothing was asked") }
        guard !isDuplicate else { return discard(.duplicate, isAuthentic: true) }
        guard !isBlocked || message.group != nil else { return discard(.blocked, isAuthentic: true) }
        return finish(.deliver(message), isAuthentic: true)
    }

    // MARK: Parts

    /// Reads type and body, and holds the type against the sender.
    private func body(_ bytes: Span<UInt8>) throws(DiscardReason) -> MessageBody {
        let body: MessageBody
        do throws(MessageError) {
            body = try MessageBody(typed: bytes)
        } catch {
            switch error {
            case .refusedType: throw .refusedType
            case .unknownType(let code): throw .unknownType(code)
            case .body(let error): throw .body(error)
            default: throw .box(error)
            }
        }
        if let only = body.type.onlySender, payload?.sender.text != only { throw .notFromThisSender(body.type) }
        return body
    }

    private mutating func received(_ metadata: MessageMetadata?, _ body: MessageBody) -> Step {
        guard let payload else { preconditionFailure("nothing was asked") }
        needsReplayProtection = body.needsReplayProtection
        if let metadata, metadata.messageID != payload.id { return discard(.idMismatch, isAuthentic: true) }
        let message = payload.message(metadata, body)
        state = .origin(message)
        return .lookUpOrigin(message.origin)
    }

    private mutating func discard(_ reason: DiscardReason, isAuthentic: Bool = false) -> Step {
        finish(.discard(reason), isAuthentic: isAuthentic)
    }

    private mutating func finish(_ decision: IncomingResult.Decision, isAuthentic: Bool) -> Step {
        state = .finished
        let isStored = isAuthentic && needsReplayProtection
        return .finished(
            IncomingResult(
                decision: decision, nonceDigest: isStored ? payload?.nonce.digest(for: own) : nil,
                acknowledgement: acknowledgement))
    }
}
