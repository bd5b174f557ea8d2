import ArgumentParser
import CommandLine
import Console
import Encodings
import SecureMemory
import Telegram

struct TelegramUnprotect: Verb {
    static let configuration = CommandConfiguration(
        commandName: "unprotect", abstract: "Write a key from a file without protection, 256 bytes.",
        discussion: "Anyone who can read the new file can act as the account.")

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The file, or - for stdin.", completion: .file())
    var file: String

    @OptionGroup var written: DocumentOptions

    @Option(help: ArgumentHelp("The data centre whose key is written, of an account.", valueName: "number"))
    var dc: Int32?

    @Flag(help: "Do write the key without protection.")
    var yes = false

    @OptionGroup var opening: AccountFileOptions

    func run(_ session: Session) throws {
        guard yes else {
            throw UsageFailure("the key would be written without protection", hint: "use --yes if you want that")
        }
        let target = try written.target(outside: session.reserved)
        let opened = try opening.openTelegram(file, session)
        let (held, isLost) = try key(of: opened)
        let hasOthers = opened.keys.count > 1
        if hasOthers, target.isWritten(to: file) {
            throw UsageFailure(
                "\(file) has other keys, too, which would be lost", hint: "write the key to another file")
        }
        try held.key.bytes.withBytes { key in
            try target.write(key) { path in
                try session.output.done(
                    ["wrote the key \(held.key.id) to \(path), without protection"],
                    json: TelegramMessenger.result(
                        "unprotect", [("file", .string(path)), ("key_id", .string(held.key.id.description))]))
            }
        }
        if hasOthers { session.output.warn("the other keys of \(file) are not in the new file") }
        if isLost { session.output.warn("the key \(held.key.id) is marked as lost: somebody else may have it") }
    }

    private func key(of opened: TelegramFile) throws -> (held: HeldAuthorizationKey, isLost: Bool) {
        let keys = opened.keys
        guard let dc else {
            guard let only = keys.first, keys.count == 1 else {
                throw UsageFailure(
                    "\(file) contains \(keys.count) keys; choose one by its data centre",
                    hint: "--dc \(keys.compactMap { $0.dataCentre.map { "\($0)" } }.joined(separator: " or "))")
            }
            return (only.held, only.isLost)
        }
        guard case .account = opened.content else {
            throw UsageFailure("\(file) contains a single key; leave --dc out")
        }
        guard let key = keys.first(where: { $0.dataCentre == dc }) else {
            throw Failure(.absent, "\(file) has no key for data centre \(dc)").because(of: "no_key")
        }
        return (key.held, key.isLost)
    }
}
