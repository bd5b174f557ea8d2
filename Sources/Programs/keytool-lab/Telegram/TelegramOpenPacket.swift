import ArgumentParser
import CommandLine
import Console
import Encodings
import MessengerKeeping
import Telegram

struct TelegramOpenPacket: Verb {
    static let configuration = CommandConfiguration(
        commandName: "open-packet", abstract: "Open a captured packet of MTProto version 1 (legacy) with a stored key.",
        discussion: """
            Shows who has sent it, its session, and whether its message key fits. Version 1 is outdated; the apps of \
            today use version 2, whose packets do not open here.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The file with the packet, or - for stdin.", completion: .file())
    var file: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write the message's data to a new file (0600), or - for stdout.", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(help: "Overwrite an existing file.")
    var force = false

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let target = try output.map { try DocumentTarget($0, mayReplace: force, outside: session.reserved) }
        let packet = try InputFile(operand: file).readBytes(.bytes, limit: LegacyMTProto1.Packet.maxCount)
        // What is not encrypted needs no key.
        if packet.starts(with: KeyID.zero.bytes) {
            return try report(try PlainPacket(decoding: packet.span), target, session)
        }
        let id = try LegacyMTProto1.Packet.keyID(of: packet.span)
        guard let (account, key) = try session.keeper(TelegramMessenger.self, keystore).find(id) else {
            throw NoTelegramKey(id: id)
        }
        if key.isLost { session.output.warn("the key \(id) is marked as lost: somebody else may have it") }
        for direction in LegacyMTProto1.Direction.allCases {
            let content: LegacyMTProto1.Content
            do throws(PacketError) {
                content = try LegacyMTProto1.Packet.open(packet.span, key: key.held.key, direction)
            } catch {
                guard error == .notAuthentic else { throw error }
                continue
            }
            let opened = OpenedPacket(account: account, key: key, direction: direction, content: content)
            return try report(opened, target, session)
        }
        throw PacketError.notAuthentic
    }

    private func report(_ packet: PlainPacket, _ target: DocumentTarget?, _ session: Session) throws {
        let shown = ShownMessage(id: packet.id, data: packet.data)
        let members: [(String, JSONValue?)] =
            [("encrypted", false)] + shown.members + [("file", target?.path.map { .string($0) })]
        try write(packet.data, target) {
            try session.output.data(
                ["packet       not encrypted"] + shown.lines, json: TelegramMessenger.result("open-packet", members))
        }
    }

    private func report(_ opened: OpenedPacket, _ target: DocumentTarget?, _ session: Session) throws {
        let members = opened.members + [("file", target?.path.map { JSONValue.string($0) })]
        try write(opened.content.message.data, target) {
            try session.output.data(opened.lines, json: TelegramMessenger.result("open-packet", members))
        }
    }

    private func write(_ data: [UInt8], _ target: DocumentTarget?, finish: () throws -> Void) throws {
        guard let target else { return try finish() }
        // Stdout has the data, and nothing else.
        try target.write(data.span) { _ in try finish() }
    }
}
