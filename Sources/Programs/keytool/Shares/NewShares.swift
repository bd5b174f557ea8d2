import ArgumentParser
import AtomicFiles
import Console
import Encodings
import SecureMemory
import Shares

/// Where new shares go.
struct NewShareOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write a page to print (PDF, mode 0600) for each share to this directory, which is made if it is missing.",
            valueName: "dir"),
        completion: .directory)
    var sheet: String?

    @OptionGroup var language: PageLanguageOption

    @Flag(help: "Print the words of all shares.")
    var revealShares = false

    /// Whether anything is said of them.
    var isGiven: Bool { sheet != nil || revealShares || language.language != nil }

    /// - Throws: `ValidationError` if the shares would go nowhere, or for a language of no page.
    func requireOne() throws {
        guard sheet != nil || revealShares else {
            throw ValidationError("use --sheet DIR or --reveal-shares: the shares have to go somewhere")
        }
        try language.require(sheet != nil, option: "--sheet")
    }

    /// Does the work with a file for each page, or with nil without `--sheet`. A directory that was made for the pages is
    /// removed if it stays empty. Signals that end the process wait, so that none of them leaves some of the pages.
    /// - Parameters:
    ///   - name: what is shared, in the names of the files.
    ///   - reserved: where no page may go.
    /// - Throws: `UsageFailure`, `Failure` or `ResultFileError` about the directory, or what `work` throws.
    func withFiles(
        _ count: Int, named name: String, outside reserved: ReservedDirectory?, _ work: ([ResultFile]?) throws -> Void
    ) throws {
        guard let sheet else { return try work(nil) }
        try EndingSignals.held {
            let directory = try ShareDirectory(sheet, outside: reserved)
            do {
                try work(try directory.files(count, named: name, outside: reserved))
            } catch {
                directory.takeBack()
                throw error
            }
        }
    }
}

/// New shares on their way to people.
struct NewShares {
    let shares: [Share]
    /// A file for each share; nil if no pages are wanted.
    let files: [ResultFile]?
    /// Whether the words are printed.
    let isRevealed: Bool
    /// What is shared, in sentences: `ABCD1234`.
    let subject: String

    /// How many are needed.
    var threshold: Int { Int(shares[0].threshold) }

    /// Writes a page for each share, then does `finish`. If anything fails, no page is left.
    /// - Throws: `ResultFileError`, or what `finish` throws.
    func writePages(_ page: (Share) -> SecureBytes, finish: () throws -> Void) throws {
        try Self.write(files ?? [], of: shares[...], page, finish: finish)
    }

    private static func write(
        _ files: [ResultFile], of shares: ArraySlice<Share>, _ page: (Share) -> SecureBytes, finish: () throws -> Void
    ) throws {
        guard let file = files.first, let share = shares.first else { return try finish() }
        let bytes = page(share)
        try bytes.withBytes { bytes in
            try file.write(bytes) { try write(Array(files.dropFirst()), of: shares.dropFirst(), page, finish: finish) }
        }
    }

    /// Which pages were written.
    var wrote: [String] {
        (files ?? []).enumerated().map { "wrote share \($0 + 1) of \(subject) to \($1.path)" }
    }

    /// Prints the result, with the words if they are to be shown.
    /// - Parameters:
    ///   - lines: what is said beside the pages.
    ///   - json: the document around the members that are about the shares.
    /// - Throws: `OutputError`.
    func show(_ lines: [String], _ output: Output, json: ([(String, JSONValue?)]) -> JSONValue) throws {
        let lines = wrote + lines
        guard isRevealed else { return try output.done(lines, json: json(members { _ in nil })) }
        let marks = SecretMarks()
        let words = shares.indices.flatMap { index in
            TerminalSize.isTerminal
                ? ["", "Share \(index + 1) of \(shares.count) of \(subject), \(threshold) are needed:", marks[index]]
                : [marks[index]]
        }
        try output.reveal(
            words, json: json(members { .string(marks[$0]) }), marks, secrets: shares.count
        ) { index, result in
            result.append(shares[index].words.text())
        }
        lines.forEach { output.note($0) }
        if TerminalSize.isTerminal { output.hint("the words stay in this terminal's scrollback") }
    }

    private func members(_ words: (Int) -> JSONValue?) -> [(String, JSONValue?)] {
        [
            ("set", .number(Int(shares[0].set.identifier))), ("threshold", .number(threshold)),
            ("count", .number(shares.count)),
            (
                "shares",
                .array(
                    shares.indices.map { index in
                        .members([
                            ("number", .number(index + 1)),
                            ("sheet", files.map { .string($0[index].path) }), ("words", words(index)),
                        ])
                    })
            ),
        ]
    }
}
