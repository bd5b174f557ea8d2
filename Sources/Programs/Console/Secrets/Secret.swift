import ArgumentParser
import Glibc

/// One of the secrets that a program asks for, with one name everywhere.
package protocol Secret {
    /// Stem of its options: `--<stem>-file`, `-command`, `-fd`. Environment variables and systemd
    /// credential follow from it.
    static var stem: String { get }
    /// What prompts and errors call it.
    static var title: String { get }
    /// Whether a random one is offered when a new one is asked for; false if it does not say.
    static var isGenerated: Bool { get }
}

extension Secret {
    package static var isGenerated: Bool { false }

    /// The environment variable, to which `_FILE`, `_COMMAND` and `_FD` are added.
    static var variable: String { Program.variable(stem) }
    /// The systemd credential's name.
    static var credential: String { "\(Program.family).\(stem)" }
}

/// The options that name the source of one secret.
package struct SecretOptions<Kind: Secret>: ParsableArguments {
    @Option(
        name: .customLong(Kind.stem + "-file"),
        help: ArgumentHelp("Read the \(Kind.title) from a file, - for stdin.", valueName: "file"),
        completion: .file())
    var file: String?

    @Option(
        name: .customLong(Kind.stem + "-command"),
        help: ArgumentHelp("Read it from the output of a shell command.", valueName: "command"))
    var command: String?

    @Option(
        name: .customLong(Kind.stem + "-fd"),
        help: ArgumentHelp("Read it from an open file descriptor.", valueName: "number"))
    var descriptor: Int32?

    /// None of them given.
    package init() {}

    /// Whether an option names a source.
    package var isGiven: Bool { file != nil || command != nil || descriptor != nil }

    /// The source that the options name; else the environment, else systemd; nil if none does.
    /// - Throws: `UsageFailure` if the options name several, or if a variable is not usable.
    package func source() throws -> SecretSource? {
        let options = [
            file.map(SecretSource.file), command.map(SecretSource.command), descriptor.map(SecretSource.descriptor),
        ].compactMap { $0 }
        guard options.count <= 1 else {
            throw UsageFailure(
                "more than one source is given for the \(Kind.title)",
                hint: "use one of --\(Kind.stem)-file, -command, -fd")
        }
        if let option = options.first { return option }
        if let path = try Environment.setting(Kind.variable + "_FILE") { return .file(path) }
        if let command = try Environment.setting(Kind.variable + "_COMMAND") { return .command(command) }
        if let text = try Environment.setting(Kind.variable + "_FD") {
            guard let number = Int32(text) else {
                throw UsageFailure("\(Kind.variable)_FD is not a file descriptor")
            }
            return .descriptor(number)
        }
        // A service has the credentials that it was given; one that is not there is no source.
        let credential = try Environment.setting("CREDENTIALS_DIRECTORY").map { $0 + "/" + Kind.credential }
        return credential.flatMap { unsafe access($0, F_OK) == 0 ? .credential($0) : nil }
    }

    /// Refuses stdin as the source of the secret if something else comes from there.
    /// - Throws: `UsageFailure`.
    package func requireOtherSource(ifTaken isTaken: Bool) throws {
        guard try !isTaken || source()?.isStandardInput != true else { throw StandardInput.isTwoThings }
    }
}

/// Where a secret comes from without a question.
package enum SecretSource {
    /// The file at this path; `-` is stdin.
    case file(String)
    /// What this shell command prints.
    case command(String)
    /// What an open file descriptor gives.
    case descriptor(Int32)
    /// The path of a systemd credential. Nobody else can read it, whatever its mode says.
    case credential(String)

    /// Whether it reads stdin, which can serve only one purpose.
    package var isStandardInput: Bool {
        switch self {
        case .file("-"), .descriptor(0): true
        default: false
        }
    }
}

/// Why a secret could not be read. `title` is the name of the secret, `code` an errno.
package enum SecretError: Error {
    case notReadable(path: String, code: Int32)
    case badDescriptor(Int32, code: Int32)
    case isTerminal(path: String)
    /// The helper failed; what it printed is not repeated.
    case commandFailed(title: String, status: CommandStatus)
    case empty(title: String)
    case hasNUL(title: String)
    /// A new secret was typed with control characters.
    case hasControls(title: String)
    case hasSecondLine(title: String)
    /// It is longer than `SecretSource.maxBytes`, or than a line of the terminal.
    case tooLong
    case notUTF8(title: String)
    /// The terminal cannot be asked with echo off.
    case noTerminal
    /// The input ended instead (Ctrl-D), or the terminal went away.
    case noAnswer(title: String)
    /// No source provides it, and the user cannot be asked. `sources` lists the possible sources.
    case none(title: String, sources: String)
    /// The two answers of a creation differ, three times.
    case mismatch(title: String)

    /// How a secret's command failed.
    package enum CommandStatus {
        case exited(Int32)
        case killed(Int32)
        case notStarted(Int32)
        /// Killed after that time.
        case timedOut(Duration)
        case printedNothing
    }
}
