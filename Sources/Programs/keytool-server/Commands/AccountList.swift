import ArgumentParser
import Console
import Encodings
import SafeServer
import SafeStore

struct AccountList: Verb {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the accounts, with their backups, previous backups and quotas.")

    @OptionGroup var globals: GlobalOptions

    @Option(
        help: ArgumentHelp("Fail (18) if an account has not uploaded within this time.", valueName: "duration"))
    var maxAge: TimeSpan?

    @OptionGroup var place: AccountsOption

    func run(_ dialog: Dialog) throws {
        let accounts = try place.accounts()
        if maxAge != nil { try accounts.requireDirectory(for: "--max-age") }
        let file = try accounts.file()
        for line in file.badLines { dialog.output.warn("line \(line) of \(accounts.logins.path) is not an account") }
        let now = WallClock.now()
        var rows: [ListedAccount] = []
        let lead = try accounts.lead(of: now)
        for account in file.accounts { rows.append(try ListedAccount(account, in: accounts, lead: lead)) }
        let width = file.accounts.map(\.name.text.count).max() ?? 0
        if rows.isEmpty { dialog.output.note("there are no accounts") }
        let left = try accounts.leftDirectories(file)
        for directory in left { dialog.output.warn("\(directory.path) has no account") }
        let stranded = file.accounts.isEmpty ? 0 : try accounts.countWithoutAccount()
        if stranded > 0 {
            dialog.output.warn("\(Counted.backups(stranded)) of clients without an account are in the store")
        }
        try dialog.output.data(
            rows.map { $0.line(width: width) },
            json: .result(
                "account list",
                [
                    ("accounts", .array(rows.map(\.json))),
                    ("without_account", .array(left.map { .string($0.name.text) })),
                    ("backups_without_account", .number(stranded)),
                    ("bad_lines", .array(file.badLines.map { .number($0) })),
                ]))
        let late = rows.filter { row in maxAge.map { row.isLate(now, $0.duration) } ?? false }.map(\.account.name.text)
        guard late.isEmpty else {
            throw Failure(
                .overdue, "accounts without an upload within --max-age: \(late.joined(separator: ", "))")
        }
    }
}

private struct ListedAccount {
    let account: SafeServer.Account
    /// Nil if the backups are in an object store.
    private let stored: (backups: Int, bytes: Int, versions: Int, versionsBytes: Int)?
    private let lastUpload: Timestamp?

    /// - Parameter lead: how far the wall clock is ahead of the store's time.
    init(_ account: SafeServer.Account, in accounts: borrowing ServerAccounts, lead: Duration) throws {
        self.account = account
        guard accounts.directory != nil else {
            (stored, lastUpload) = (nil, nil)
            return
        }
        // The directory of an account that was written by hand is made at its first login.
        let size = try accounts.size(of: account.name) ?? (backups: 0, bytes: 0, lastUpload: nil)
        lastUpload = size.lastUpload.map { $0 + lead }
        let previous = try accounts.previousSize(of: account.name) ?? (versions: 0, bytes: 0)
        stored = (size.backups, size.bytes, previous.versions, previous.bytes)
    }

    func isLate(_ now: Timestamp, _ maxAge: Duration) -> Bool { lastUpload.map { now - $0 > maxAge } ?? true }

    func line(width: Int) -> String {
        let name = account.name.text + String(repeating: " ", count: width - account.name.text.count)
        let quota = account.quota.map(ByteCount.text)
        guard let stored else { return "\(name)  \(quota.map { "quota " + $0 } ?? "no quota")" }
        let present = "\(Counted.backups(stored.backups)), \(ByteCount.text(stored.bytes))"
        let limit = quota.map { ", of " + $0 } ?? ", no quota"
        let previous =
            stored.versions == 0
            ? "" : ", \(Counted.previous(stored.versions)), \(ByteCount.text(stored.versionsBytes))"
        let last = lastUpload.map { ", last upload \($0.day)" } ?? ", no upload"
        return "\(name)  \(present)\(limit)\(previous)\(last)"
    }

    var json: JSONValue {
        let backups = stored.map { JSONValue.number($0.backups) }
        let bytes = stored.map { JSONValue.number($0.bytes) }
        let versions = stored.map { JSONValue.number($0.versions) }
        let versionsBytes = stored.map { JSONValue.number($0.versionsBytes) }
        let quota = account.quota.map { JSONValue.number($0) } ?? .null
        let last = lastUpload.map { JSONValue.string($0.rfc3339) } ?? .null
        return .members([
            ("name", .string(account.name.text)), ("backups", backups), ("bytes", bytes), ("versions", versions),
            ("versions_bytes", versionsBytes), ("quota_bytes", quota), ("last_upload", stored == nil ? nil : last),
        ])
    }
}
