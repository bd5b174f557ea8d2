import Console
import Primitives
import SafeStore

extension StoreError: Explained {
    /// The sentence and the exit code.
    var failure: Failure {
        switch self {
        case .full: Failure(.io, "no space is left in the store")
        case .quota: Failure(.io, "the quota of the account is used up")
        case .busy: Failure(.locked, "another process is using the backups", hints: "try again later")
        case .throttled: Failure(.tempfail, "the store asks for fewer requests", hints: "try again later")
        case .unavailable: Failure(.tempfail, "the store cannot be reached now", hints: "try again later")
        case .forbidden: Failure(.permission, "the account was removed or has another password")
        case .failed(let reason): Failure(.io, "the store failed: \(reason)")
        }
    }
}

/// The store had accounts, and its file and directory of accounts are both gone.
struct LostAccounts: Explained {
    let path: String

    var failure: Failure {
        Failure(
            .noInput, "\(path) had accounts, but its file logins and its directory accounts are both missing",
            hints: Hint(
                "restore logins and accounts from a backup; or, to let everybody use the server without a login, "
                    + "remove \(path)/\(ServerDirectory.markName)"))
    }
}

/// There is no account of this name.
struct AbsentAccount: Explained {
    let name: AccountName
    /// What a command needs to find the store.
    let place: String

    var failure: Failure {
        Failure(
            .absent, "there is no account \(name.text)",
            hints: Hint("keytool-server account list\(place) shows the accounts"))
    }
}

/// An account of this name was added while the deletion of old backups was being confirmed.
struct AddedAccount: Explained {
    let name: AccountName
    /// What a command needs to find the store.
    let place: String

    var failure: Failure {
        Failure(
            .exists, "the account \(name.text) was added or changed meanwhile; nothing was deleted",
            hints: Hint(
                "keytool-server account remove \(name.text) --delete-backups\(place) removes it with all its backups"))
    }
}

extension KeyDerivationError: Explained {
    /// The sentence and the exit code.
    var failure: Failure {
        switch self {
        case .memory(let bytes): Failure(.memory, "not enough memory: the hash needs \(ByteCount.text(bytes))")
        }
    }
}
