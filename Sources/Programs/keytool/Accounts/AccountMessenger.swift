import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import MessengerKeeping
import SecureMemory

/// A messenger whose accounts have the verbs `list`, `show`, `import`, `export` and `verify` of the other ones. What
/// differs is in its options and in what these functions do.
protocol AccountMessenger: KeptMessenger {
    associatedtype ShowOptions: ParsableArguments = NoOptions
    associatedtype ImportOptions: ParsableArguments = NoOptions
    associatedtype ExportOptions: ParsableArguments = NoOptions
    associatedtype VerifyOptions: ParsableArguments = AccountFileOptions

    /// The help of its verbs.
    static var help: AccountHelp { get }

    static func show(_ id: ID, _ options: ShowOptions, in keeper: Keeper, _ output: Output) throws

    /// Reads a file, and stores what is in it.
    /// - Parameters:
    ///   - file: its path, or - for stdin.
    ///   - open: opens the keystore, or creates it. It is called when the file has been read.
    static func imported(
        _ file: String, _ options: ImportOptions, _ opening: AccountFileOptions, _ session: Session,
        to open: @escaping () throws -> OpenKeystore
    ) throws -> ImportedAccount

    /// Refuses options of `export` that do not fit together.
    static func check(_ options: ExportOptions, with protection: NewAgeFileOptions<FilePassphrase>) throws

    /// Makes a file of an account.
    /// - Parameter sealer: makes an age file of what it contains.
    static func exported(
        _ id: ID, _ options: ExportOptions, in keeper: Keeper, by sealer: AccountSealer
    ) throws -> ExportedAccount

    /// Refuses options of `verify` that do not fit together.
    static func check(_ options: VerifyOptions, for file: String) throws

    /// Opens a file, and stores nothing.
    static func verified(_ file: String, _ options: VerifyOptions, _ session: Session) throws -> VerifiedFile
}

/// Abstract and discussion of each verb.
struct AccountHelp {
    typealias Words = (abstract: String, discussion: String)

    let show: Words
    let imported: Words
    /// What may be imported: how the operand is called, and its help.
    var source = (name: "file", help: "The file, or - for stdin.")
    let exported: Words
    let verified: Words

    static func configuration(_ verb: String, _ words: Words) -> CommandConfiguration {
        CommandConfiguration(commandName: verb, abstract: words.abstract, discussion: words.discussion)
    }
}

/// A messenger that needs no further options.
struct NoOptions: ParsableArguments {}

/// A file that was made of an account.
struct ExportedAccount: ~Copyable {
    /// Its content, which may be a key without protection.
    let file: SecureBytes
    /// What the account is called in the result: `the account +41...`.
    let words: String
    /// For programs.
    let members: [(String, JSONValue?)]
    /// What is said afterwards.
    let warnings: [String]

    init(
        file: consuming SecureBytes, words: String, members: [(String, JSONValue?)], warnings: [String] = []
    ) {
        self.file = file
        self.words = words
        self.members = members
        self.warnings = warnings
    }

    /// - Parameter sealed: the whole file, which nobody can read without a secret.
    init(sealed: [UInt8], words: String, members: [(String, JSONValue?)], warnings: [String] = []) {
        self.init(file: SecureBytes(copying: sealed.span), words: words, members: members, warnings: warnings)
    }
}

/// What became of a file that was imported.
struct ImportedAccount {
    /// Whether something new was stored.
    let isNew: Bool
    /// For people.
    let lines: [String]
    /// For programs.
    let members: [(String, JSONValue?)]
    /// What the file is worth, and what to do next; on stderr.
    var notes: (Output) -> Void = { _ in }
    /// How the command ends if a part of the file was not imported. It is reported already.
    var failure: Failure?
}

extension Stored {
    /// For people.
    /// - Parameters:
    ///   - subject: what was read.
    ///   - extended: the sentence if something was added.
    func words(_ subject: String, extended: (Additions) -> String) -> String {
        switch self {
        case .new: "imported \(subject)"
        case .held: "already in the keystore, with the same keys: \(subject)"
        case .extended(let additions): extended(additions)
        }
    }

    /// For programs.
    var name: String {
        switch self {
        case .new: "imported"
        case .held: "held"
        case .extended: "extended"
        }
    }
}

/// What a file contains that was opened.
struct VerifiedFile {
    /// For people: `FILE opens`, and a line for each fact.
    let lines: [String]
    /// For programs, behind the file's name.
    let members: [(String, JSONValue?)]
    /// What the file is worth; on stderr.
    var notes: (Output) -> Void = { _ in }
}

extension AccountMessenger {
    static func check(_ options: ExportOptions, with protection: NewAgeFileOptions<FilePassphrase>) {}

    static func check(_ options: VerifyOptions, for file: String) {}

    /// Shows what is not secret.
    static func showSummary(of id: ID, in keeper: Keeper, _ output: Output) throws {
        let summary = try summary(of: id, in: keeper)
        try output.data(summary.lines, json: result("show", [("id", .string(owner(id).id))] + summary.members))
    }
}

extension AccountMessenger where ShowOptions == NoOptions {
    static func show(_ id: ID, _ options: NoOptions, in keeper: Keeper, _ output: Output) throws {
        try showSummary(of: id, in: keeper, output)
    }
}
