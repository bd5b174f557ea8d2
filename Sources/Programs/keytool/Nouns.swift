import ArgumentParser
import CommandParsing
import Console

/// A program, with the options that stood before its nouns.
protocol RootCommand: ParsableCommand {
    static var grammar: CommandGrammar { get }
    var globals: GlobalOptions { get }
}

/// A noun, with the options that stood before and after it.
protocol Noun: ParsableCommand {
    associatedtype Root: RootCommand
    var root: Root { get }
    var globals: GlobalOptions { get }
}

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

extension RootCommand {
    func run() throws { throw MissingVerb(Self.self, in: Self.grammar) }
}

extension Noun {
    func run() throws { throw MissingVerb(Self.self, in: Root.grammar) }
}
