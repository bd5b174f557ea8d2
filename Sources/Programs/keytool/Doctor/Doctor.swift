import ArgumentParser
import CommandLine
import Console
import Encodings

struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check keystore, machine, terminal and servers for problems.",
        discussion: """
            Asks nothing, and changes nothing, except that it stores a loss that it finds on a Safe server. The output \
            contains no ID, server, key or path of yours, so you can paste it into a public report.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var keystore: KeystoreOptions

    func run() throws {
        var options = globals
        options.terminal.noInput = true
        let session = Session(options, Keytool.messengers)
        let findings =
            MachineCheck.findings() + KeystoreCheck(session, keystore.passphrase).findings() + TerminalCheck.findings()
        try session.output.data(
            findings.map(\.line),
            json: .result("doctor", [("checks", .array(findings.map(\.json)))]))
        if findings.contains(where: { $0.result == .skipped }) {
            session.output.note("not all was looked at: see the lines that begin with skipped")
        }
        let problems = findings.filter { $0.result == .problem }
        guard let first = problems.first else { return }
        let count = problems.count == 1 ? "1 problem was found" : "\(problems.count) problems were found"
        throw Failure(first.status, count, hints: "see the lines that begin with PROBLEM")
    }
}

/// What one check found.
struct Finding {
    /// What was checked, in one or two words.
    let name: String
    let result: Result
    let words: String
    /// The exit code of a problem.
    let status: Failure.Status

    enum Result: String {
        case ok
        /// Works, but the user may want it otherwise.
        case warning
        case problem
        /// Could not be checked.
        case skipped
    }

    init(_ name: String, _ result: Result, _ words: String, status: Failure.Status = .failed) {
        self.name = name
        self.result = result
        self.words = words
        self.status = status
    }

    var line: String {
        let word = result == .ok || result == .skipped ? result.rawValue : result.rawValue.uppercased()
        return word.padded(to: 9, least: 1) + name.padded(to: 14, least: 1) + words
    }

    var json: JSONValue {
        ["check": .string(name), "result": .string(result.rawValue), "detail": .string(words)]
    }
}
