package import ArgumentParser
package import CommandParsing
import Console

/// A program, with the options that stood before its nouns.
package protocol RootCommand: ParsableCommand {
    /// Its nouns, with its help.
    static var whole: CommandConfiguration { get }
    static var grammar: CommandGrammar { get }
    /// Those that its commands about all messengers know.
    static var messengers: Messengers { get }
    var globals: GlobalOptions { get }
}

/// A noun, with the options that stood before and after it.
package protocol Noun: ParsableCommand {
    associatedtype Root: RootCommand
    static var name: String { get }
    static var abstract: String { get }
    static var discussion: String { get }
    static var verbs: [any ParsableCommand.Type] { get }
    var root: Root { get }
    var globals: GlobalOptions { get }
}

/// A leaf command.
package protocol Verb: ParsableCommand {
    associatedtype Parent: Noun
    var noun: Parent { get }
    var globals: GlobalOptions { get }
    /// Does the work; what it refuses it throws.
    func run(_ session: Session) throws
}

extension Verb {
    package func run() throws {
        let options = globals.merged(with: noun.globals).merged(with: noun.root.globals)
        try run(Session(options, Parent.Root.messengers))
    }
}

extension RootCommand {
    package static var configuration: CommandConfiguration { CommandTree.parsed(whole) }

    package func run() throws { throw MissingVerb(Self.self, in: Self.grammar) }
}

extension Noun {
    package static var discussion: String { "" }

    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: name, abstract: abstract, discussion: discussion,
            subcommands: CommandTree.has(name) ? verbs : [])
    }

    package func run() throws { throw MissingVerb(Self.self, in: Root.grammar) }
}
