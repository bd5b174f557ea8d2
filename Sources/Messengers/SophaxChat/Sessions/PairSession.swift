public import Encodings
internal import Primitives
public import Ratchet
public import SecureMemory

// A message between two:
//
//   {"encryptedHeader": box under the header key, "ciphertext": box under the message key}
//   header   {"messageNumber":n,"previousChainLength":n,"senderRatchetKey":"44 characters"}, AAD: `HeaderForm`
//   body     AAD = the two peer IDs, sorted and joined ‖ SophaxChat_v1 ‖ encrypted header

/// An encrypted message between two.
public struct PairMessage: Equatable, Sendable {
    /// Longest encrypted header in bytes.
    public static let maxHeader = 512
    /// Longest content in bytes: that of an attachment.
    public static let maxContent = 512 * 1024
    /// Longest box of a body in bytes.
    public static let maxBody = maxContent + Boxes.overhead
    /// The box of the header.
    public let header: [UInt8]
    /// The box of the body.
    public let body: [UInt8]

    package init(header: [UInt8], body: [UInt8]) {
        self.header = header
        self.body = body
    }

    package init(_ fields: Fields) throws(FieldError) {
        header = try fields.bytes("encryptedHeader", Boxes.overhead...Self.maxHeader)
        body = try fields.bytes("ciphertext", Boxes.overhead...Self.maxBody)
    }

    /// Reads a message.
    /// - Returns: nil if it is malformed.
    public init?(parsing bytes: [UInt8]) {
        guard bytes.count <= 2 * Self.maxBody, let read = try? Self(Fields(bytes)) else { return nil }
        self = read
    }

    package var json: JSONValue {
        .object(present: [("encryptedHeader", .base64(header)), ("ciphertext", .base64(body))])
    }

    /// The message to send: JSON, UTF-8.
    public var encoded: [UInt8] { json.bytes }
}

/// A session with a peer. It is a value without I/O: store `encoded()` in one transaction with what a step has made, and
/// before a sealed message leaves.
public struct PairSession: ~Copyable, Sendable {
    /// The two names, in order.
    private let associated: [UInt8]
    /// The form of header boxes.
    public let form: HeaderForm
    private var ratchet: DoubleRatchet

    init(_ one: PublicIdentity, _ other: PublicIdentity, form: HeaderForm, ratchet: consuming DoubleRatchet) {
        let names = [one.peerID, other.peerID].sorted()
        self.init(associated: names[0].bytes + names[1].bytes + Array("SophaxChat_v1".utf8), form, ratchet)
    }

    private init(associated: [UInt8], _ form: HeaderForm, _ ratchet: consuming DoubleRatchet) {
        self.associated = associated
        self.form = form
        self.ratchet = ratchet
    }

    /// Whether the session can send: false for a responder that has not received yet.
    public var canSend: Bool { ratchet.canSend }

    /// Keys of messages that may still come.
    public var storedCount: Int { ratchet.storedCount }

    /// Messages of the current chains, and keys of messages that may still come.
    public var counts: StoredSession.Summary {
        StoredSession.Summary(
            sent: ratchet.sendingNumber ?? 0, received: ratchet.receivingNumber ?? 0,
            previouslySent: ratchet.previousCount, skipped: ratchet.storedCount)
    }

    /// Seals a message. Store the session before the message leaves.
    /// - Parameter plaintext: at most `PairMessage.maxContent` bytes.
    /// - Throws: `.notYetReceived`, `.chainExhausted`, `.tooLong`; then the session has not changed.
    public mutating func seal(_ plaintext: Span<UInt8>) throws(RatchetError) -> PairMessage {
        guard plaintext.count <= PairMessage.maxContent else { throw .tooLong(limit: PairMessage.maxContent) }
        let keys = try ratchet.seal()
        let header = Array(Self.text(keys.header))
        let sealed = Boxes.seal(header.span, key: keys.headerKey!.bytes, data: form.data)
        return PairMessage(
            header: sealed, body: Boxes.seal(plaintext, key: keys.messageKey.bytes, data: associated + sealed))
    }

    /// A message that was opened, and the session after it.
    @frozen
    public struct Opened: ~Copyable, Sendable {
        /// The content of the message, in guarded memory.
        public var plaintext: SecureBytes
        /// Store it with the plaintext in one transaction.
        public var next: PairSession
        /// Messages before it that have not been received.
        public var skipped: Int
    }

    /// Opens a message. The session itself does not change: without `next`, nothing has happened.
    /// - Throws: as `DoubleRatchet.open`.
    public borrowing func open(_ message: PairMessage, at now: Timestamp) throws(RatchetError) -> Opened {
        let (form, associated) = (form, associated)
        let opened = try ratchet.open(
            .sealed { key in
                guard let text = try? Boxes.open(message.header, key: key.bytes, data: form.data, life: .brief) else {
                    return nil
                }
                return Self.header(text.revealBytes())
            }, at: now
        ) { key throws(AuthenticationError) in
            try Boxes.open(message.body, key: key.bytes, data: associated + message.header, life: .brief)
        }
        return Self.next(opened, associated, form)
    }

    private static func next(_ opened: consuming OpenedMessage, _ associated: [UInt8], _ form: HeaderForm) -> Opened {
        let skipped = opened.skipped
        return Opened(
            plaintext: opened.plaintext, next: PairSession(associated: associated, form, opened.next),
            skipped: skipped)
    }

    static func text(_ header: RatchetHeader) -> [UInt8] {
        Fields.object([
            ("messageNumber", .number(header.number)), ("previousChainLength", .number(header.previousCount)),
            ("senderRatchetKey", .base64(header.ratchetKey)),
        ])
    }

    static func header(_ text: [UInt8]) -> RatchetHeader? {
        guard text.count <= PairMessage.maxHeader, let fields = try? Fields(text),
            let key = try? fields.bytes("senderRatchetKey", 32),
            let previous = try? fields.integer("previousChainLength", as: UInt32.self),
            let number = try? fields.integer("messageNumber", as: UInt32.self)
        else { return nil }
        return RatchetHeader(ratchetKey: key, previousCount: previous, number: number)
    }

    // The record: form of headers (1) ‖ the ratchet's record.

    /// The session as a record, with all of its keys.
    public borrowing func encoded() -> SecureBytes {
        let record = ratchet.encoded()
        var buffer = SecureBuffer(capacity: 1 + record.count)
        buffer.append(form.rawValue)
        buffer.append(record)
        return buffer.finish()
    }

    /// Reads a record.
    /// - Throws: `.malformed`, `.unknownForm`.
    public init(
        decoding record: Span<UInt8>, of own: PublicIdentity, with peer: PublicIdentity
    ) throws(StoredRecordError) {
        guard record.count > 1, record.count <= 1 + DoubleRatchet.maxRecordCount(.sophaxChat),
            let form = HeaderForm(rawValue: record[0])
        else { throw .malformed }
        do throws(RecordError) {
            self.init(
                own, peer, form: form,
                ratchet: try DoubleRatchet(decoding: record.extracting(1..<record.count), suite: .sophaxChat))
        } catch {
            throw StoredRecordError(error)
        }
    }
}
