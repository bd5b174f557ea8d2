import ArgumentParser
import CommandLine
import Console
import Encodings
import MessengerKeeping
import SecureMemory
import Telegram

struct TelegramSealPacket: Verb {
    static let configuration = CommandConfiguration(
        commandName: "seal-packet", abstract: "Make a packet of MTProto version 1 (legacy) from a message's data.",
        discussion: """
            For tests of programs that read such packets. Version 1 is outdated: its message key is a SHA-1 of the \
            content and does not cover the padding. What is not given is drawn at random; the message's ID is the time.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The file with the data, or - for stdin.", completion: .file())
    var file: String

    @OptionGroup var written: DocumentOptions

    @Option(
        help: ArgumentHelp("The key. Optional if the keystore holds one account: its main key.", valueName: "key-id"))
    var key: KeyID?

    enum Direction: String, ExpressibleByArgument, CaseIterable {
        case client, server
    }

    @Option(help: "Who sends it.")
    var direction = Direction.client

    @Option(help: ArgumentHelp("The session, as its bytes in the packet.", valueName: "bytes8"))
    var session: WireNumber?

    @Option(help: ArgumentHelp("The server's salt, as its bytes in the packet.", valueName: "bytes8"))
    var salt: WireNumber?

    @Option(help: ArgumentHelp("The message's ID.", valueName: "number"))
    var messageID: UInt64?

    @Option(help: ArgumentHelp("The sequence number: odd if the message is to be acknowledged.", valueName: "number"))
    var sequence: UInt32 = 1

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let target = try written.target(outside: session.reserved)
        let data = try InputFile(operand: file).readBytes(.bytes, limit: LegacyMTProto1.Packet.maxCount)
        let (account, key) = try chosenKey(session)
        let direction = direction == .client ? LegacyMTProto1.Direction.fromClient : .fromServer
        let id = messageID.map { MessageID($0) } ?? MessageID(.now, direction == .fromClient ? .client : .server)
        let content = LegacyMTProto1.Content(
            salt: (salt ?? .random).number, session: (self.session ?? .random).number,
            message: LegacyMTProto1.Message(id: id, sequence: sequence, data: data))
        let packet = try LegacyMTProto1.Packet.seal(content, key: key.held.key, direction)
        let opened = OpenedPacket(account: account, key: key, direction: direction, content: content)
        if key.isLost { session.output.warn("the key \(key.id) is marked as lost: somebody else may have it") }
        try target.write(packet.span) { path in
            let members: [(String, JSONValue?)] = [("file", .string(path)), ("bytes", .number(packet.count))]
            try session.output.done(
                ["wrote a packet of \(packet.count) bytes to \(path)"] + opened.lines,
                json: TelegramMessenger.result("seal-packet", members + opened.members))
        }
    }

    private func chosenKey(_ session: Session) throws -> (account: KeyID, key: TelegramAccount.Key) {
        guard let key else {
            let (keeper, account) = try session.open(TelegramMessenger.self, nil, keystore)
            return (account, try keeper.account(account).mainKey)
        }
        guard let found = try session.keeper(TelegramMessenger.self, keystore).find(key) else {
            throw NoTelegramKey(id: key)
        }
        return found
    }
}

/// A number that is given as its 8 bytes in a packet.
struct WireNumber: ExpressibleByArgument {
    let number: UInt64

    /// 16 hexadecimal characters.
    init?(argument: String) {
        guard let bytes = Hex.decode(argument), bytes.count == 8 else { return nil }
        number = KeyID(bytes).number
    }

    private init(number: UInt64) { self.number = number }

    /// 8 random bytes.
    static var random: WireNumber { WireNumber(number: KeyID(Random.bytes(8)).number) }
}

extension MessageTime {
    /// The time of the system's clock.
    static var now: MessageTime {
        let milliseconds = UInt64(clamping: WallClock.now().milliseconds)
        return MessageTime(
            seconds: UInt32(clamping: milliseconds / 1000), nanoseconds: UInt32(milliseconds % 1000) * 1_000_000)
    }
}
