import ArgumentParser
import Console
import Encodings
import SafeServer
import SafeStore

struct AccountQuota: Verb {
    static let configuration = CommandConfiguration(
        commandName: "quota", abstract: "Change the quota of an account.",
        discussion: """
            A running server follows from the next request on. Backups that are stored stay, also if they are longer \
            than the new quota: then each upload has to be as short as the backup that it replaces.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The account.")
    var name: AccountName

    @Argument(help: ArgumentHelp("Most bytes of all its backups: 500K, 20M; or none.", valueName: "quota"))
    var quota: TypedQuota

    @OptionGroup var place: AccountsOption

    func run(_ dialog: Dialog) throws {
        try quota.size?.requireQuota()
        let accounts = try place.changedAccounts()
        guard try accounts.file()[name] != nil else { throw AbsentAccount(name: name, place: place.words) }
        let bytes = quota.size?.bytes
        try accounts.edit { file in
            guard let account = file[name] else { throw AbsentAccount(name: name, place: place.words) }
            file.set(Account(name: name, hash: account.hash, quota: bytes))
        }
        try dialog.output.done(
            [bytes.map { "the quota of \(name.text) is \(ByteCount.text($0))" } ?? "\(name.text) has no quota"],
            json: .result(
                "account quota",
                [("name", .string(name.text)), ("quota_bytes", bytes.map { .number($0) } ?? .null)]))
        let stored = try accounts.size(of: name)?.bytes ?? 0
        if let bytes, stored > bytes {
            dialog.output.warn("the backups of \(name.text) are longer than that: \(ByteCount.text(stored))")
        }
    }
}

/// A quota, or none.
struct TypedQuota: ExpressibleByArgument {
    /// Nil for no limit.
    let size: ByteSize?

    /// - Returns: nil if the text is neither a size nor `none`.
    init?(argument: String) {
        guard argument != "none" else {
            size = nil
            return
        }
        guard let size = ByteSize(argument: argument) else { return nil }
        self.size = size
    }
}
