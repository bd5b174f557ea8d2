import CommandLine
import Console
import Encodings
import Ratchet
import SecureMemory
import TextSecure

/// An envelope of the server, and how it is shown. The keys of attachments are not.
struct ShownSignal {
    private let signal: IncomingPushSignal
    /// What a message in plain text says; nil if it is encrypted, or is none.
    private let content: PushMessageContent?
    /// Whether the message is in plain text, but not a PushMessageContent.
    private let isUnreadable: Bool

    init(_ signal: IncomingPushSignal) {
        self.signal = signal
        guard signal.kind == .plainText, let message = signal.message else {
            content = nil
            isUnreadable = false
            return
        }
        content = message.bytes.withBytes { try? PushMessageContent(parsing: $0) }
        isUnreadable = content == nil
    }

    var lines: [String] {
        ["type          \(signal.kind.words)", "source        \(signal.source?.printable ?? "not given")"]
            + (signal.sourceDevice.map { ["device        \($0)"] } ?? [])
            + (signal.relay.map { ["relay         \($0.printable)"] } ?? [])
            + signal.destinations.map { "destination   \($0.printable)" }
            + ["sent          \(time ?? "not given")"]
            + ["message       \(signal.message.map { ByteCount.text($0.bytes.count) } ?? "none")"]
            + (content?.lines ?? [])
    }

    var members: [(String, JSONValue?)] {
        [
            ("type", .number(signal.type ?? 0)), ("type_name", .string(signal.kind.name)),
            ("encrypted", .bool(signal.kind.isEncrypted)), ("source", signal.source.map { .string($0) }),
            ("source_device", signal.sourceDevice.map { .number($0) }), ("relay", signal.relay.map { .string($0) }),
            ("destinations", .array(signal.destinations.map { .string($0) })),
            ("timestamp", (signal.timestamp?.timestamp?.rfc3339).map { .string($0) }),
            ("timestamp_in_seconds", signal.timestamp.map { .bool($0.isSeconds) }),
            ("bytes", signal.message.map { .number($0.bytes.count) }), ("content", content.map { $0.json }),
        ]
    }

    /// Says on stderr what does not fit the protocol.
    func sayWarnings(_ output: Output) {
        if let time = signal.timestamp, time.isSeconds {
            output.warn("the time is given in seconds; the protocol has milliseconds")
        }
        if isUnreadable { output.warn("the message in plain text is not the content of a message") }
    }

    private var time: String? {
        signal.timestamp.map { time in time.timestamp?.rfc3339 ?? "\(time.value), which is not a time" }
    }
}

extension IncomingPushSignal.Kind: TwoNames {
    /// For people: what it is, and whether its sender has encrypted it.
    var names: (words: String, json: String) {
        switch self {
        case .plainText: ("plain text, not encrypted by its sender", "plain_text")
        case .whisper: ("message of a session, encrypted", "whisper")
        case .keyExchange: ("key exchange (no longer used), not encrypted", "key_exchange")
        case .prekeyWhisper: ("first message of a session, encrypted", "prekey_whisper")
        case .unknown(let type): ("unknown type \(type), not encrypted as far as keytool knows", "unknown")
        }
    }
}

extension PushMessageContent {
    /// For people: body, attachments and group.
    fileprivate var lines: [String] {
        (body.map(Self.bodyLines) ?? []) + attachments.map { "attachment    " + $0.words } + (group?.lines ?? [])
            + (endsSession ? ["note          the sender ends the session"] : [])
    }

    fileprivate var json: JSONValue {
        .members([
            ("body", body.map { .string($0) }), ("attachments", .array(attachments.map { $0.json })),
            ("group", group.map { $0.json }), ("flags", flags.map { .number($0) }),
        ])
    }

    /// Each line of the body, in pieces that `printable` does not cut.
    private static func bodyLines(_ body: String) -> [String] {
        let lines = body.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        let pieces = lines.flatMap { line in
            let scalars = Array(line)
            return stride(from: 0, to: max(1, scalars.count), by: pieceLength).map { start in
                String(String.UnicodeScalarView(scalars[start..<min(start + pieceLength, scalars.count)])).printable
            }
        }
        return pieces.enumerated().map { ($0 == 0 ? "body          " : "              ") + $1 }
    }

    private static let pieceLength = 64
}

extension AttachmentPointer {
    fileprivate var words: String {
        "\(id.map { "\($0)" } ?? "without ID"), \(contentType?.printable ?? "no type")"
            + (key == nil ? ", without a key" : ", with its key, which is not shown")
    }

    /// For programs. The ID is text, because it has more bits than JSON's numbers often have.
    fileprivate var json: JSONValue {
        .members([
            ("id", id.map { .string("\($0)") }), ("content_type", contentType.map { .string($0) }),
            ("key", .bool(key != nil)),
        ])
    }
}

extension GroupContext {
    fileprivate var lines: [String] {
        let name = name.map { ", \($0.printable)" } ?? ""
        return ["group         \(id.map(Hex.encode) ?? "without ID"), \(kindName)\(name)"]
            + members.map { "member        \($0.printable)" } + (avatar.map { ["picture       " + $0.words] } ?? [])
    }

    fileprivate var json: JSONValue {
        .members([
            ("id", id.map { .string(Hex.encode($0)) }), ("type", .string(kindName)), ("name", name.map { .string($0) }),
            ("members", .array(members.map { .string($0) })), ("avatar", avatar.map { $0.json }),
        ])
    }

    private var kindName: String {
        switch kind {
        case .update: "update"
        case .deliver: "deliver"
        case .quit: "quit"
        case nil: "unknown"
        }
    }
}
