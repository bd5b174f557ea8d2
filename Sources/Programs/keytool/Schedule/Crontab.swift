import Console

/// A schedule as lines for `crontab -e`.
struct Crontab {
    /// One line for each command that runs every day, and one for the check of each week.
    let lines: [String]

    /// The minute and hour of the first command. The next one begins half an hour later, so that two commands seldom
    /// wait for one keystore.
    private static let times = ["17 3", "47 3", "17 4"]
    /// On Sundays.
    private static let checkTime = "47 4 * * 0"

    /// - Throws: `UsageFailure` for a passphrase that cron has no source for, or a text with a line break.
    init(_ schedule: SafeSchedule) throws {
        let options = ["-q", "--no-input", "--jitter", "30m"]
        let more: [String]
        switch schedule.passphrase {
        case .notNeeded: more = []
        case .file(let path): more = ["--passphrase-file", path]
        case .command(let command): more = ["--passphrase-command", command]
        case .credential:
            throw UsageFailure(
                "cron has no source for the keystore passphrase",
                hint: "give --passphrase-file or --passphrase-command; it becomes part of the line")
        }
        let end = more + (schedule.keystoreForCron.map { ["--keystore", $0] } ?? [])
        func line(_ time: String, _ words: [String]) throws -> String {
            try "\(time) " + ([schedule.program] + words + end).map(Self.quoted).joined(separator: " ")
        }
        let daily = try zip(Self.times, schedule.works).map { time, work in
            try line(
                "\(time) * * *",
                work.words(for: schedule.identity) + options + ["--tolerate", SafeSchedule.tolerance])
        }
        // Nothing is tolerated: the next check is a week away.
        lines =
            schedule.works == [.check]
            ? daily : daily + [try line(Self.checkTime, ["safe", "check", schedule.identity ?? "--all"] + options)]
    }

    /// One word for the shell that cron runs. Cron itself makes a line break of a bare %, and takes the backslash before
    /// a % away; before another backslash, not every cron does.
    private static func quoted(_ word: String) throws -> String {
        guard !word.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
            throw UsageFailure("a line of a crontab cannot contain control characters")
        }
        guard !["\\%", "\\\\"].contains(where: word.contains) else {
            throw UsageFailure(
                "a line of a crontab cannot contain \\% or \\\\", hint: "put the command into a script of its own")
        }
        return ShellWord.quoted(word).replacing("%", with: "\\%")
    }
}
