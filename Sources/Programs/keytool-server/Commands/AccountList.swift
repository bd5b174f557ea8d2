import ArgumentParser
import Console
import Encodings
import SafeServer
import SafeStore

struct AccountList: AccountVerb {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the accounts, with their backups and quotas.")

    @ParentCommand var noun: AccountCommand
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
        var lines: [String] = []
        var rows: [JSONValue] = []
        var late: [String] = []
        let now = WallClock.now()
        let width = file.accounts.map(\.name.text.count).max() ?? 0
        for account in file.accounts {
            let size = accounts.directory == nil ? nil : try accounts.size(of: account.name) ?? (backups: 0, bytes: 0)
            let name = account.name.text + String(repeating: " ", count: width - account.name.text.count)
            let limit = account.quota.map { (size == nil ? "quota " : "of ") + ByteCount.text($0) } ?? "no quota"
            let stored = size.map { "\(Counted.backups($0.backups)), \(ByteCount.text($0.bytes)), " }
            let last = try accounts.lastUpload(of: account.name, now: now)
            let upload = size.map { _ in last.map { ", last upload \($0.day)" } ?? ", no upload" } ?? ""
            if let maxAge, last.map({ now - $0 > maxAge.duration }) ?? true { late.append(account.name.text) }
            lines.append("\(name)  \(stored ?? "")\(limit)\(upload)")
            rows.append(
                .members([
                    ("name", .string(account.name.text)), ("backups", size.map { .number($0.backups) }),
                    ("bytes", size.map { .number($0.bytes) }),
                    ("quota_bytes", account.quota.map { .number($0) } ?? .null),
                    ("last_upload", size.map { _ in last.map { .string($0.rfc3339) } ?? .null }),
                ]))
        }
        if lines.isEmpty { dialog.output.note("there are no accounts") }
        let left = try accounts.leftDirectories(file)
        for directory in left { dialog.output.warn("\(directory.path) has no account") }
        let stranded = file.accounts.isEmpty ? 0 : try accounts.countWithoutAccount()
        if stranded > 0 {
            dialog.output.warn("\(Counted.backups(stranded)) of clients without an account are in the store")
        }
        try dialog.output.data(
            lines,
            json: .result(
                "account list",
                [
                    ("accounts", .array(rows)), ("without_account", .array(left.map { .string($0.name.text) })),
                    ("backups_without_account", .number(stranded)),
                    ("bad_lines", .array(file.badLines.map { .number($0) })),
                ]))
        guard late.isEmpty else {
            throw CommandFailure(
                failure: Failure(
                    .overdue, "accounts without an upload within --max-age: \(late.joined(separator: ", "))"))
        }
    }
}
