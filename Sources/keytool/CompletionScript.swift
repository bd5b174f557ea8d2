/// The parser's completion scripts, with what they lack for daily use.
enum CompletionScript {
    /// - Parameter text: what the parser has to say; anything but a script of its own comes back as it is.
    static func finished(_ text: String) -> String {
        if text.hasPrefix(fishConditions[0]) { return fish(text) }
        return text.hasPrefix("#!/bin/bash\n") ? bash(text) : text
    }

    // MARK: fish

    private static let fishConditions = ["flags_or_options", "positional"].map {
        "function __keytool_should_offer_completions_for_\($0) "
    }

    /// Each of some 600 lines reads the whole command line for its condition, which takes fish most of a second.
    /// A command that is not on the line needs no reading.
    private static func fish(_ script: String) -> String {
        var lines: [Substring] = []
        for line in script.split(separator: "\n", omittingEmptySubsequences: false) {
            lines.append(line)
            guard fishConditions.contains(where: { line.hasPrefix($0) }) else { continue }
            lines.append("    __keytool_may_be \"$expected_commands\"; or return 1")
        }
        return """
            function __keytool_may_be
                set -l words (commandline -poc)
                for name in (string split ' ' -- $argv[1])[2..]
                    contains -- $name $words; or return 1
                end
                true
            end


            """ + lines.joined(separator: "\n")
    }

    // MARK: bash

    /// Commands are completed as files are: beside a folder of that name `safe` becomes `safe/`. Only what the
    /// script adds by its own function, files and values, is to be quoted and marked so.
    private static func bash(_ script: String) -> String {
        let adding = "__keytool_add_completions() {\n"
        return script.replacing(adding, with: adding + "    compopt -o filenames\n")
            .replacing("complete -o filenames -F _keytool ", with: "complete -F _keytool ")
    }
}
