import ArgumentParser
import Console
import Encodings
import SafeServer
import SafeStore

struct AccountRemove: Verb {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an account.",
        discussion: "Its backups stay in the store, out of reach for clients, unless --delete-backups is given.")

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The account.")
    var name: AccountName

    @Flag(help: "Delete its backups and previous backups, too.")
    var deleteBackups = false

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup var place: AccountsOption

    func run(_ dialog: Dialog) throws {
        let accounts = try place.changedAccounts()
        if deleteBackups { try accounts.requireDirectory(for: "--delete-backups") }
        let size = try accounts.size(of: name)
        let account = try accounts.file()[name]
        let isAccount = account != nil
        // Backups that an earlier removal has left can be deleted, too.
        guard isAccount || (deleteBackups && size != nil) else { throw AbsentAccount(name: name, place: place.words) }
        if !yes {
            if deleteBackups {
                let backups = Counted.backups(size?.backups ?? 0)
                try dialog.confirm("delete the account \(name.text) and its \(backups)", typing: name.text)
            } else {
                try dialog.confirm("remove the account \(name.text)")
            }
        }
        let edit = { (file: inout AccountFile) in
            // The answer was about the backups of an earlier account, not about those of this one.
            guard file[name] == nil || file[name]?.hash == account?.hash else {
                throw AddedAccount(name: name, place: place.words)
            }
            file.remove(name)
        }
        if !deleteBackups {
            try accounts.edit(edit)
        } else if let failure = try accounts.editAndDelete(name, edit)?.failure {
            throw Failure(
                failure.status,
                (isAccount ? "the account \(name.text) is removed, but its backups are not: " : "") + failure.message,
                hints: Hint("keytool-server account remove \(name.text) --delete-backups\(place.words) deletes them"))
        }
        let left = deleteBackups || size == nil ? nil : accounts.path(of: name)
        try dialog.output.done(
            [words(size?.backups ?? 0, left)],
            json: .result(
                "account remove",
                [
                    ("name", .string(name.text)), ("backups", .number(size?.backups ?? 0)),
                    ("backups_deleted", .bool(deleteBackups)), ("directory", left.map { .string($0) }),
                ]))
        if left != nil, size?.backups ?? 0 > 0 {
            dialog.output.hint("keytool-server account remove \(name.text) --delete-backups\(place.words) deletes them")
        }
    }

    private func words(_ count: Int, _ left: String?) -> String {
        let removed = "removed the account \(name.text)"
        if deleteBackups { return removed + " and its \(Counted.backups(count))" }
        guard count > 0, let left else { return removed }
        return removed + "; its backups stay in \(left)"
    }
}
