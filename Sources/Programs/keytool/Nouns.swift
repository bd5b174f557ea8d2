import ArgumentParser
import CommandParsing
import Console

/// A noun, with the options that stood before and after it.
protocol Noun: ParsableCommand {
    var root: Keytool { get }
    var globals: GlobalOptions { get }
}

extension IDCommand: Noun {}
extension BackupCommand: Noun {}
extension SafeCommand: Noun {}
extension KeyCommand: Noun {}
extension RevokeCommand: Noun {}
extension QRCommand: Noun {}
extension ProfileCommand: Noun {}
extension ContactCommand: Noun {}
extension TelegramCommand: Noun {}
extension TextSecureCommand: Noun {}
extension MainKeyCommand: Noun {}
extension SophaxChatCommand: Noun {}
extension ArchiveCommand: Noun {}

/// A leaf command.
protocol Verb: ParsableCommand {
    associatedtype Parent: Noun
    var noun: Parent { get }
    var globals: GlobalOptions { get }
    /// Does the work; what it refuses it throws.
    func run(_ session: Session) throws
}

extension Verb {
    func run() throws {
        try run(Session(globals.merged(with: noun.globals).merged(with: noun.root.globals)))
    }
}

extension Keytool {
    func run() throws { throw MissingVerb(Self.self, in: .keytool) }
}

extension Noun {
    func run() throws { throw MissingVerb(Self.self, in: .keytool) }
}
