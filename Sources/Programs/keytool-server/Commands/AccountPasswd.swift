import ArgumentParser
import Console
import Encodings
import SafeServer
import SafeStore
import SecureMemory

struct AccountPasswd: Verb {
    static let configuration = CommandConfiguration(
        commandName: "passwd", abstract: "Change the password of an account.",
        discussion: "A running server refuses the old password from the next request on.")

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The account.")
    var name: AccountName

    @OptionGroup var password: NewPasswordOptions

    @OptionGroup var place: AccountsOption

    func run(_ dialog: Dialog) throws {
        let accounts = try place.changedAccounts()
        guard try accounts.file()[name] != nil else { throw AbsentAccount(name: name, place: place.words) }
        let hash = try password.hash(for: name, dialog)
        try accounts.edit { file in
            guard let account = file[name] else { throw AbsentAccount(name: name, place: place.words) }
            file.set(Account(name: name, hash: hash, quota: account.quota))
        }
        try dialog.output.done(
            ["changed the password of \(name.text)"],
            json: .result("account passwd", [("name", .string(name.text))]))
    }
}

/// The new password of an account.
struct NewPasswordOptions: ParsableArguments {
    @Flag(help: "Accept a weak password; only warn.")
    var weakOk = false

    @OptionGroup(title: "Account password (at least 8 characters)")
    var password: SecretOptions<AccountPassword>

    func hash(for name: AccountName, _ dialog: Dialog) throws -> PasswordHash {
        let secret = try SecretAsker(password, dialog).create(
            .for(name.text), minimum: AccountPassword.minimumLength, weak: weakOk ? .accept : .ask)
        guard secret.count <= PasswordHash.maxPasswordBytes else {
            throw UsageFailure("the account password is longer than \(PasswordHash.maxPasswordBytes) bytes")
        }
        return try dialog.output.busy("hashing the password") {
            try PasswordHash(of: secret, salt: Random.bytes(PasswordHash.saltCount))
        }
    }
}
