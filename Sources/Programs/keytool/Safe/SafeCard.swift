import ArgumentParser
import CommandLine
import Console
import Encodings
import SafeKeeping
import SafeWire
import Threema
import ThreemaKeeping

struct SafeCard: Verb {
    static let configuration = CommandConfiguration(
        commandName: "card", abstract: "Write a recovery card to print: ID, server, and how to restore the Safe.",
        discussion: """
            The card holds no password. It names the server, its login without the password, certificates and pins. No \
            request is sent. Store the card where the Safe password is not.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(
        help: ArgumentHelp(
            "The identity. If the keystore holds only one, the file may stand here.", valueName: "id|file"),
        completion: .file(extensions: PageFormat.allCases.map(\.rawValue)))
    var first: String

    @Argument(
        help: ArgumentHelp("The new file (mode 0600), FILE.pdf or FILE.svg; - for PDF on stdout.", valueName: "file"),
        completion: .file(extensions: PageFormat.allCases.map(\.rawValue)))
    var second: String?

    @OptionGroup var place: PlaceOption

    @OptionGroup var language: PageLanguageOption

    @Flag(help: "Overwrite an existing file.")
    var force = false

    @OptionGroup var keystore: KeystoreOptions

    private var id: ThreemaID? {
        get throws {
            guard second != nil else { return nil }
            guard let id = ThreemaID(argument: first) else {
                throw ValidationError("the first of two operands is an ID of 8 characters")
            }
            return id
        }
    }

    func validate() throws { _ = try id }

    func run(_ session: Session) throws {
        let target = try PageTarget(second ?? first, outside: session.reserved, option: "safe card", mayReplace: force)
        let keeper = try session.keeper(keystore.passphrase)
        let id = try session.identity(self.id, in: keeper)
        let chosen = try session.place(place.name, of: id, in: keeper)
        let card = try RecoveryCard(of: chosen, in: keeper, language.chosen)
        let bytes = target.bytes(of: try card.page())
        try target.write(bytes) {
            guard let file = target.file else { return }
            try session.output.done(
                ["wrote the recovery card of \(chosen.label) to \(file.path)"],
                json: .result(
                    "safe card",
                    chosen.members([
                        ("id", .string(id.text)), ("file", .string(file.path)),
                        ("server", .server(card.address, nil)), ("bytes", .number(bytes.count)),
                    ])))
        }
        if let new = try keeper.safe.status(of: chosen.place).newServer {
            session.output.warn(
                "a change to \(new) is not finished, and the card names the present server; "
                    + "write another card afterwards"
            )
        }
    }
}

extension Session {
    /// Asks for the name of a file for a recovery card; writes it if one is given.
    func offerCard(of chosen: ChosenPlace, in keeper: ThreemaKeeper) throws {
        guard dialog.mayAsk, let terminal = ControllingTerminal() else { return }
        let card = try RecoveryCard(of: chosen, in: keeper, .ofLocale)
        let question = "Recovery card to print (FILE.pdf or FILE.svg, Enter for none): "
        while let path = try terminal.askText(question), !path.isEmpty {
            do {
                // Not stdout: what the command has said is there.
                let target = try PageTarget(
                    path, outside: reserved, option: "the card", mayReplace: false, to: .files)
                return try target.write(target.bytes(of: card.page())) {
                    output.note("wrote the recovery card of \(chosen.label) to \(path)")
                }
            } catch {
                Output.word("error", Failure(error).message)
            }
        }
    }
}
