package import ArgumentParser

/// When words are coloured.
package enum ColorMode: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never

    /// Written once, before the arguments are parsed: words about wrong arguments have colours, too.
    nonisolated(unsafe) private static var wanted = auto

    /// Takes the mode from a command line that is not parsed yet.
    package static func read(_ arguments: [String]) {
        let arguments = Array(arguments.prefix { $0 != "--" })
        for (index, argument) in arguments.enumerated() {
            let value = argument == "--color" ? arguments.dropFirst(index + 1).first : argument.value(of: "--color=")
            if let mode = value.flatMap(ColorMode.init(rawValue:)) { unsafe wanted = mode }
        }
    }

    /// Whether `--color never` is given.
    package static var isForbidden: Bool { unsafe wanted == .never }

    /// Whether what is written there is coloured.
    package static func isWanted(on outlet: Outlet) -> Bool {
        switch unsafe wanted {
        case .always: true
        case .never: false
        case .auto: outlet.isTerminal && Environment.value("NO_COLOR") == nil
        }
    }
}

extension String {
    fileprivate func value(of option: String) -> String? {
        hasPrefix(option) ? String(dropFirst(option.count)) : nil
    }
}

/// How a command uses the terminal: options of every command.
package struct TerminalOptions: ParsableArguments {
    /// Whether questions are forbidden.
    @Flag(help: "Never ask a question. Fail if an answer is needed.")
    package var noInput = false

    /// Nil if it is not given.
    @Option(help: ArgumentHelp("When to use colours.", valueName: "when"))
    package var color: ColorMode?

    /// None of them given.
    package init() {}
}
