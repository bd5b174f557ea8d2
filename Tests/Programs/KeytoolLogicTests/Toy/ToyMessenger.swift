import Age
import ArgumentParser
import CommandLine
import CommandParsing
import Console
import Keystore
import MessengerKeeping
import SecureMemory

@testable import keytool

/// The one file that a further messenger needs in the program.
enum ToyMessenger: AccountMessenger {
    typealias Root = ToyTool

    static let name = "toy"

    static let words = MessengerWords(
        title: "toy key", titles: "toy keys", subject: "The key", placeholder: "toy-id",
        beginning: "keytool toy import FILE", absence: "no_toy", forms: ["toy-id": "8 characters, 0-9 and a-f"])

    static let nounWords = NounWords(
        abstract: "Keep the keys of a messenger that does not exist.", commonNames: [("ls", "toy list")])

    static var verbs: [any ParsableCommand.Type] {
        [
            AccountImport<Self>.self, AccountList<Self>.self, AccountShow<Self>.self, AccountExport<Self>.self,
            AccountVerify<Self>.self,
        ]
    }

    static let help = AccountHelp(
        show: ("Show a key.", ""), imported: ("Import a key.", ""), exported: ("Export a key.", ""),
        verified: ("Check that a file opens.", ""))

    static func owner(_ id: ToyID) -> Owner { .toy(id) }

    static func id(of owner: Owner) -> ToyID? { owner.toy }

    static func keeper(of keystore: OpenKeystore, _ session: Session) -> ToyKeeper { ToyKeeper(keystore) }

    static func summary(of id: ToyID, in keeper: ToyKeeper) throws -> MessengerSummary {
        _ = try keeper.key(id)
        return MessengerSummary(line: "a key", lines: ["key  \(id)"], members: [("wooden", true)])
    }

    static func imported(
        _ file: String, _ options: NoOptions, _ opening: AccountFileOptions, _ session: Session,
        to open: @escaping () throws -> OpenKeystore
    ) throws -> ImportedAccount {
        let key = try key(in: file, opening, session)
        try ToyKeeper(try open()).add(key)
        return ImportedAccount(isNew: true, lines: ["imported \(file)"], members: [("id", .string(key.id.description))])
    }

    static func exported(
        _ id: ToyID, _ options: NoOptions, in keeper: ToyKeeper, by sealer: AccountSealer
    ) throws -> ExportedAccount {
        ExportedAccount(sealed: try sealer.age(keeper.key(id).bytes), words: "the key \(id)", members: [])
    }

    static func verified(_ file: String, _ options: AccountFileOptions, _ session: Session) throws -> VerifiedFile {
        let id = try key(in: file, options, session).id
        return VerifiedFile(lines: ["\(file) opens", "key  \(id)"], members: [("id", .string(id.description))])
    }

    private static func key(in file: String, _ opening: AccountFileOptions, _ session: Session) throws -> ToyKey {
        let content = try AccountFileOptions.read(file, limit: 4096)
        return try content.withBytes { content in
            guard AgeFile.isLikely(content) else { return try key(content) }
            let opened = try opening.openAge(content, named: file, limit: ToyKey.count, session)
            return try opened.plain.withBytes { try key($0) }
        }
    }

    private static func key(_ content: Span<UInt8>) throws -> ToyKey {
        guard let key = ToyKey(content) else {
            throw Failure(.badData, "this is not a key of the toy")
        }
        return key
    }

    static var archived: ArchivedMessenger {
        ArchivedMessenger(name) { records throws(RecordProblem) in
            try ToyKeeper.check(records)
            return nil
        }
    }

    static let readme = """
        A KEY OF THE TOY, toy/ID
          key             16 bytes
        """
}

extension ToyID: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
}

extension Messengers {
    /// The registry with one line more.
    static let withToy = Messengers(shipped.all + [ToyMessenger.self])
}

/// The program of the noun: keytool's is not built again for a test.
struct ToyTool: RootCommand {
    static let configuration = CommandConfiguration(commandName: "keytool", subcommands: ToyMessenger.nouns)
    static var grammar: CommandGrammar { .keytool }
    static var messengers: Messengers { .withToy }

    @OptionGroup var globals: GlobalOptions
}
