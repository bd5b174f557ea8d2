/// The parser's completion scripts, with what they lack for daily use.
struct CompletionScript {
    /// The program's name.
    let name: String

    /// - Parameter text: what the parser has to say; anything but a script of its own comes back as it is.
    func finished(_ text: String) -> String {
        if text.hasPrefix(fishConditions[0]) { return fish(text) }
        return text.hasPrefix("#!/bin/bash\n") ? bash(text) : text
    }

    // MARK: fish

    private var fishConditions: [String] {
        ["flags_or_options", "positional"].map { "function __\(name)_should_offer_completions_for_\($0) " }
    }

    /// Each of some 600 lines reads the whole command line for its condition, which takes fish most of a second.
    /// A command that is not on the line needs no reading.
    private func fish(_ script: String) -> String {
        let conditions = fishConditions
        var lines: [Substring] = []
        for line in script.split(separator: "\n", omittingEmptySubsequences: false) {
            lines.append(line)
            guard conditions.contains(where: { line.hasPrefix($0) }) else { continue }
            lines.append("    __\(name)_may_be \"$expected_commands\"; or return 1")
        }
        return """
            function __\(name)_may_be
                set -l words (commandline -poc)
                for name in (string split ' ' -- $argv[1])[2..]
                    contains -- $name $words; or return 1
                end
                true
            end


            """ + lines.joined(separator: "\n")
    }

    // MARK: bash

    /// Commands are completed as files are: beside a directory of that name `id` becomes `id/`. Only what the
    /// script adds by its own function, files and values, is to be quoted and marked so.
    private func bash(_ script: String) -> String {
        let adding = "__\(name)_add_completions() {\n"
        return script.replacing(adding, with: adding + "    compopt -o filenames\n")
            .replacing("complete -o filenames -F _\(name) ", with: "complete -F _\(name) ")
    }
}
