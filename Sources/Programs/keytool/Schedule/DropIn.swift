import Console

/// A schedule as a drop-in of the unit `keytool-safe@.service`: what that file cannot know.
struct DropIn {
    /// The instance of the unit: `keytool-safe@ACCOUNT`.
    let instance: String
    /// The text for `systemctl edit`; nil if the unit needs no change.
    let lines: [String]?

    /// - Throws: `UsageFailure` for a path or a command with a control character, or an account that names no unit.
    init(_ schedule: SafeSchedule) throws {
        instance = "keytool-safe@" + schedule.account
        guard schedule.account.utf8.allSatisfy(Self.namesUnit.contains) else {
            throw UsageFailure("the name of the account \(schedule.account) cannot be part of a unit's name")
        }
        var lines: [String] = []
        if let keystore = schedule.keystoreForUnit {
            lines.append("Environment=" + (try Self.quoted("KEYTOOL_KEYSTORE=" + keystore)))
            lines.append(try Self.line(showing: keystore, for: .writing))
        }
        for access in SafeSchedule.Access.allCases {
            for directory in schedule.directories[access] ?? [] where access == .writing || Self.isHidden(directory) {
                // "-": a disk that is away must not keep the service from starting.
                lines.append(try Self.line(showing: directory, for: access, mayBeMissing: true))
            }
        }
        switch schedule.passphrase {
        case .notNeeded, .credential: break
        case .file(let path):
            // This line knows no quotes: a blank at its end is dropped, and a backslash there joins the next line.
            guard path.utf8.last.map({ $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\\") }) == true else {
                throw UsageFailure("a unit cannot name a file that ends with a blank or a backslash", hint: "rename it")
            }
            lines += ["LoadCredentialEncrypted=", "LoadCredential=keytool.passphrase:" + (try Self.escaped(path))]
        case .command(let command):
            lines.append("Environment=" + (try Self.quoted("KEYTOOL_PASSPHRASE_COMMAND=" + command)))
        }
        if schedule.works != [.push] || schedule.identity != nil {
            lines += ["ExecStart=", "ExecStart=" + (try Self.command(schedule))]
        }
        self.lines = lines.isEmpty ? nil : ["[Service]"] + lines
    }

    private static let namesUnit = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._:".utf8)

    /// Directories that the unit hides from its service.
    private static let hidden = ["/home/", "/root/", "/run/user/", "/tmp/", "/var/tmp/"]

    /// Whether the service does not see a path without a bind mount.
    static func isHidden(_ path: String) -> Bool { hidden.contains { (path + "/").hasPrefix($0) } }

    private static func line(
        showing path: String, for access: SafeSchedule.Access, mayBeMissing: Bool = false
    ) throws -> String {
        let key =
            switch access {
            case .writing: isHidden(path) ? "BindPaths" : "ReadWritePaths"
            case .reading: "BindReadOnlyPaths"
            }
        return "\(key)=" + (try quoted((mayBeMissing ? "-" : "") + path))
    }

    /// With several commands, each one runs even if one before it fails, and the first failure counts.
    private static func command(_ schedule: SafeSchedule) throws -> String {
        let options = ["--quiet", "--no-input", "--tolerate", SafeSchedule.tolerance]
        let commands = schedule.works.map { [schedule.program] + $0.words(for: schedule.identity) + options }
        guard commands.count > 1 else { return try commands[0].map(execQuoted).joined(separator: " ") }
        let steps = zip(schedule.works, commands).map { work, words in
            words.map(ShellWord.quoted).joined(separator: " ") + "; \(work.rawValue)=$?; "
        }
        let results = schedule.works.map(\.rawValue)
        let first = results.dropLast().map { "\($0) ? \($0) : " }.joined() + results[results.count - 1]
        return "/bin/sh -c " + (try execQuoted(steps.joined() + "exit $((\(first)))"))
    }

    /// A word of `ExecStart=`, which also replaces variables.
    private static func execQuoted(_ word: String) throws -> String {
        try quoted(word.replacing("$", with: "$$"))
    }

    /// A word of a line, in quotes if it needs them. A colon would separate the two ends of a bind mount.
    private static func quoted(_ word: String) throws -> String {
        let text = try escaped(word)
        guard text.unicodeScalars.contains(where: { " :\\\"'".unicodeScalars.contains($0) }) else { return text }
        let marked = text.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }
        return "\"" + marked.joined() + "\""
    }

    /// A text in which % has no meaning.
    private static func escaped(_ text: String) throws -> String {
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
            throw UsageFailure("a unit cannot contain control characters")
        }
        return text.replacing("%", with: "%%")
    }
}
