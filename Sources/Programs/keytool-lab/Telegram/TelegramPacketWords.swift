import CommandLine
import Console
import Encodings
import Telegram

/// A packet whose message key fits, and how it is shown. Salt and session are shown as their bytes in the packet.
struct OpenedPacket {
    let account: KeyID
    let key: TelegramAccount.Key
    let direction: LegacyMTProto1.Direction
    let content: LegacyMTProto1.Content

    private var message: ShownMessage { ShownMessage(id: content.message.id, data: content.message.data) }

    /// The messages in a container; nil for another message, or if the container is malformed.
    private var parts: [LegacyMTProto1.Message]? { try? LegacyMTProto1.Container.decode(content.message) }

    var lines: [String] {
        [
            "packet       MTProto version 1 (legacy), \(direction.words)",
            "key          \(key.id)  for data centre \(key.dataCentre) of \(account)",
            "message key  fits", "session      \(Hex.encode(content.session.wireBytes))",
            "salt         \(Hex.encode(content.salt.wireBytes))",
        ] + message.lines + [
            "sequence     \(content.message.sequence)"
                + (content.message.isContent ? ", to be acknowledged" : ", not to be acknowledged")
        ] + (isRightKind ? [] : ["note         the ID of the message is not one of \(direction.sender)"])
            + (parts ?? []).flatMap { part in
                ["part"]
                    + ShownMessage(id: part.id, data: part.data).lines.map { "  " + $0 } + [
                        "  sequence     \(part.sequence)"
                    ]
            }
    }

    var members: [(String, JSONValue?)] {
        let parts = parts?.map { part in
            JSONValue.members(
                ShownMessage(id: part.id, data: part.data).members + [("sequence", .number(part.sequence))])
        }
        return [
            ("encrypted", true), ("version", 1), ("id", .string(account.description)),
            ("key_id", .string(key.id.description)), ("dc", .number(key.dataCentre)), ("lost", .bool(key.isLost)),
            ("direction", .string(direction.name)), ("message_key", true),
            ("session", .string(Hex.encode(content.session.wireBytes))),
            ("salt", .string(Hex.encode(content.salt.wireBytes))),
        ] + message.members + [
            ("sequence", .number(content.message.sequence)), ("acknowledged", .bool(content.message.isContent)),
            ("parts", parts.map { .array($0) }),
        ]
    }

    /// Whether the lowest bits of the ID fit the direction.
    private var isRightKind: Bool { content.message.id.isFromClient == (direction == .fromClient) }
}

/// ID and data of a message.
struct ShownMessage {
    let id: MessageID
    let data: [UInt8]

    /// More of it is left to a file.
    private static let shownBytes = 64

    var lines: [String] {
        let isCut = data.count > Self.shownBytes
        return [
            "message      \(id.number), of \(time)",
            "data         \(ByteCount.text(data.count))\(service.map { ", " + $0 } ?? "")",
        ]
            + (data.isEmpty
                ? [] : ["             " + Hex.encode(Array(data.prefix(Self.shownBytes))) + (isCut ? "…" : "")])
    }

    /// For programs. The ID is text, because it has more bits than JSON's numbers often have.
    var members: [(String, JSONValue?)] {
        [
            ("message_id", .string("\(id.number)")), ("message_time", .string(time)),
            ("data", .string(Hex.encode(data))), ("service", service.map { .string($0) }),
        ]
    }

    private var time: String { Timestamp(milliseconds: Int64(id.number >> 32) * 1000).rfc3339 }

    /// What kind of message about messages it is; nil for others.
    private var service: String? {
        if LegacyMTProto1.Container.isContainer(data) { return "container" }
        switch (try? ServiceMessage(decoding: data)) ?? nil {
        case .acknowledgement: return "acknowledgement"
        case .badSalt: return "bad_server_salt"
        case .badMessage(_, _, let code): return "bad_msg_notification, code \(code)"
        case .newSession: return "new_session_created"
        case nil: return nil
        }
    }
}

extension LegacyMTProto1.Direction {
    var words: String { self == .fromClient ? "from the client" : "from the server" }
    /// Who has sent it.
    fileprivate var sender: String { self == .fromClient ? "a client" : "a server" }
    /// For programs and for `--direction`.
    var name: String { self == .fromClient ? "client" : "server" }
}

extension UInt64 {
    /// The 8 bytes as they stand in a packet.
    var wireBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (8 * UInt64($0))) } }
}

extension PacketError: Explained {
    var failure: Failure {
        switch self {
        case .malformed: Failure(.badData, "this is not a packet of MTProto: its length is wrong")
        case .unknownKey(let id): NoTelegramKey(id: id).failure
        case .notAuthentic:
            Failure(
                .badData, "the message key does not fit in either direction",
                hints: "the packet is damaged, or of version 2 of the protocol"
            ).because(of: "message_key")
        case .tooLong(let limit): Failure(.badData, "the data is longer than \(ByteCount.text(limit))")
        }
    }
}
