import Encodings
import SecureMemory
import Telegram

/// Operations of packets, and of the numbers in them.
enum TelegramPackets {
    static func encrypted(_ check: inout Check) throws {
        let inputs = check.inputs
        let message = LegacyMTProto1.Message(
            id: MessageID(try number(inputs, "message_id")),
            sequence: UInt32(try inputs.integer("seq_no", in: 0...Int64(UInt32.max))), data: try inputs.bytes("body"))
        let content = LegacyMTProto1.Content(
            salt: try number(inputs, "salt"), session: try number(inputs, "session_id"), message: message)
        let padding = try inputs.bytes("padding")
        guard padding.count == (16 - message.data.count % 16) % 16 else {
            throw CheckError.malformed("input padding", "the bytes that fill the last block")
        }
        let (key, direction) = (HeldAuthorizationKey(try TelegramKeys.key(inputs, "auth_key")), try direction(inputs))
        let packet = try LegacyMTProto1.Packet.seal(content, key: key.key, direction) { _ in padding }
        try check.compare("packet", packet)
        try check.compare("msg_key", Array(packet[8..<24]))
        check.compare("packet_length", packet.count)
        let opened = try LegacyMTProto1.Packet.open(packet.span, key: key.key, direction)
        check.require("opened", opened == content)
    }

    static func reject(_ check: inout Check) throws {
        let (packet, direction) = (try check.inputs.bytes("packet"), try direction(check.inputs))
        let key = try TelegramKeys.key(check.inputs, "auth_key")
        let isOpened = (try? LegacyMTProto1.Packet.open(packet.span, key: key, direction)) != nil
        check.compare("result", isOpened ? "accept" : "reject")
    }

    static func plain(_ check: inout Check) throws {
        let packet = PlainPacket(
            id: MessageID(try number(check.inputs, "message_id")), data: try check.inputs.bytes("body"))
        let bytes = try packet.encoded()
        try check.compare("packet", bytes)
        check.require("opened", try PlainPacket(decoding: bytes.span) == packet)
    }

    static func messageID(_ check: inout Check) throws {
        let time = try Fraction(check.inputs, "unixtime")
        guard !time.isNegative, let units = time.units(roundingUp: false) else {
            throw CheckError.malformed("input unixtime", "a time until 2106")
        }
        let id = MessageID(MessageTime(number: units), try kind(check.inputs))
        check.note("msg_id", try number(check.expected, "msg_id") == id.number)
        check.compare("mod4", id.number % 4)
    }

    static func replayWindow(_ check: inout Check) throws {
        let capacity = Int(try check.inputs.integer("N", in: 1...Int64(ReplayWindow.maxCapacity)))
        var window = ReplayWindow(capacity: capacity)
        let results = try words(check.inputs, "msg_ids").map { word in
            guard let id = parse(word) else { throw CheckError.malformed("input msg_ids", "a list of numbers") }
            return window.insert(MessageID(id)) == .new ? "accept" : "ignore"
        }
        compare(&check, "results", results)
        // A stored window is the same.
        check.require("stored", try ReplayWindow(decoding: window.encoded.span) == window)
    }

    static func timeWindow(_ check: inout Check) throws {
        let delta = try Fraction(check.inputs, "delta_seconds")
        // Away from the present, so that a remainder does not bring it back to a limit.
        guard let units = delta.units(roundingUp: true), units < 1 << 60 else {
            throw CheckError.malformed("input delta_seconds", "a number of seconds")
        }
        let now = MessageTime(seconds: 1 << 30)
        let time = MessageTime(number: delta.isNegative ? now.number - units : now.number + units)
        check.compare("result", TimeWindow.place(of: time, at: now) == .inside ? "accept" : "ignore")
    }

    static func sequences(_ check: inout Check) throws {
        let zeros = [UInt8](repeating: 0, count: AuthorizationKey.count)
        let key = HeldAuthorizationKey(try AuthorizationKey(copying: zeros.span))
        var session = LegacyMTProto1.Session(.client, key: key.key, id: 0, salt: 0)
        var numbers: [String] = []
        for word in try words(check.inputs, "messages") {
            let isContent: Bool
            switch word {
            case "content", "content-related", "true", "1", "c": isContent = true
            case "container", "ack", "acks", "not-content", "non-content", "service", "false", "0", "n":
                isContent = false
            default: throw CheckError.malformed("input messages", "a list of `content`, `container` and `ack`")
            }
            let sealed = try session.seal([], isContent: isContent, key: key.key, now: MessageTime(seconds: 1 << 30))
            numbers.append(String(sealed.message.sequence))
        }
        compare(&check, "seq_nos", numbers)
    }

    /// The protocol's x.
    static func direction(_ inputs: Fields) throws -> LegacyMTProto1.Direction {
        switch try inputs.integer("x") {
        case 0: .fromClient
        case 8: .fromServer
        default: throw CheckError.malformed("input x", "0 or 8")
        }
    }

    private static func kind(_ inputs: Fields) throws -> MessageID.Kind {
        switch try inputs.text("kind") {
        case "client": .client
        case "server-reply", "server-response": .serverReply
        case "server", "server-other", "server-message", "server-notification": .server
        default: throw CheckError.malformed("input kind", "client, server-reply or server")
        }
    }

    /// A number of 64 bits: text with `0x` and hexadecimal digits, decimal text, or a number.
    private static func number(_ fields: Fields, _ name: String) throws -> UInt64 {
        if let value = fields[name]?.integer { return UInt64(bitPattern: value) }
        guard let number = parse(try fields.text(name)) else {
            throw CheckError.malformed("\(fields.place) \(name)", "a number of 64 bits")
        }
        return number
    }

    private static func parse(_ word: String) -> UInt64? {
        word.hasPrefix("0x") ? UInt64(word.dropFirst(2), radix: 16) : UInt64(word)
    }

    /// A list: an array of texts, numbers and truth values, or text with commas.
    private static func words(_ inputs: Fields, _ name: String) throws -> [String] {
        guard let values = inputs[name]?.array else {
            return try inputs.text(name).split(separator: ",").map { String($0.drop { $0 == " " }) }
        }
        return try values.map { value in
            switch value {
            case .string(let word), .number(let word): return word
            case .bool(let isTrue): return String(isTrue)
            default: throw CheckError.malformed("input \(name)", "a list of words")
            }
        }
    }

    /// Compares a list in the form that the vector has: text with commas, or an array.
    private static func compare(_ check: inout Check, _ name: String, _ words: [String]) {
        guard let array = check.expected[name]?.array else {
            check.compare(name, words.joined(separator: ","))
            return
        }
        let found = array.map { value in
            switch value {
            case .string(let word), .number(let word): word
            default: ""
            }
        }
        check.note(name, found == words)
    }
}
