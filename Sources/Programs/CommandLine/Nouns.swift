package import ArgumentParser
package import CommandParsing

/// A program. Its help has the options that every command has.
package protocol RootCommand: ParsableCommand {
    static var grammar: CommandGrammar { get }
    /// Those that its commands about all messengers know.
    static var messengers: Messengers { get }
}

/// A noun. Its help has the options that every command has.
package protocol Noun: ParsableCommand {
    /// Its program.
    associatedtype Root: RootCommand
    static var name: String { get }
    static var abstract: String { get }
    static var discussion: String { get }
    static var verbs: [any ParsableCommand.Type] { get }
}

/// A leaf command.
package protocol Verb: ParsableCommand {
    /// Its program.
    associatedtype Root: RootCommand
    /// Those that stood before the verb, too (`CommandWords`).
    var globals: GlobalOptions { get }
    /// Does the work; what it refuses it throws.
    func run(_ session: Session) throws
}

extension Verb {
    package func run() throws { try run(Session(globals, Root.messengers)) }
}

extension RootCommand {
    package func run() throws { throw MissingVerb(Self.self, in: Self.grammar) }
}

extension Noun {
    package static var discussion: String { "" }

    package static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: name, abstract: abstract, discussion: discussion, subcommands: verbs)
    }

    package func run() throws { throw MissingVerb(Self.self, in: Root.grammar) }
}
