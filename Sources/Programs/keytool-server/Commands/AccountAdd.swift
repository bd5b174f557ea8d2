import ArgumentParser
import Console
import Encodings
import SafeServer
import SafeStore

struct AccountAdd: Verb {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add an account.",
        discussion: "The password is asked for twice, unless an option names its source.")

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "1 to 32 lower-case letters, digits and hyphens.")
    var name: AccountName

    @Option(help: ArgumentHelp("Most bytes of all backups of the account (default: no limit).", valueName: "size"))
    var quota: ByteSize?

    @OptionGroup var password: NewPasswordOptions

    @OptionGroup var place: AccountsOption

    func run(_ dialog: Dialog) throws {
        try quota?.requireQuota()
        try place.prepare()
        let accounts = try place.changedAccounts()
        let isFirst = try !accounts.exist()
        try check(accounts.file(), accounts)
        let left = try accounts.size(of: name)?.backups ?? 0
        let hash = try password.hash(for: name, dialog)
        let late = try accounts.edit(makes: name) { file in
            // Another command may have added it while the password was typed.
            try check(file, accounts)
            file.set(Account(name: name, hash: hash, quota: quota?.bytes))
        }
        if let late {
            dialog.output.warn("the account has no directory yet: \(late.failure.message); the server makes it later")
        }
        if left > 0 {
            dialog.output.warn("\(name.text) has \(Counted.backups(left)) of an earlier account of this name")
        }
        try dialog.output.done(
            ["added the account \(name.text)"],
            json: .result(
                "account add",
                [("name", .string(name.text)), ("quota_bytes", quota.map { .number($0.bytes) } ?? .null)]))
        let address = "https://HOST:PORT/\(name.text)"
        dialog.output.hint("its Safe server is \(address) (without :PORT if the port is 443)")
        guard isFirst else { return }
        dialog.output.hint("this is the first account: from now on, the server asks for logins")
        let stranded = try accounts.countWithoutAccount()
        if stranded > 0 {
            dialog.output.warn(
                "\(Counted.backups(stranded)) of clients without an account stay in the store, out of their reach")
            dialog.output.hint(
                "on each of these clients: keytool safe move --server \(address) --server-user \(name.text) (and --ca-file FILE, if the setup has one)"
            )
        }
    }

    private func check(_ file: AccountFile, _ accounts: borrowing ServerAccounts) throws {
        guard file[name] == nil else {
            throw Failure(
                .exists, "the account \(name.text) already exists",
                hints: Hint("keytool-server account passwd \(name.text)\(place.words) changes its password"))
        }
        guard !file.isFull else {
            throw Failure(.cantCreate, "\(accounts.logins.path) has no room for another account")
        }
    }
}
