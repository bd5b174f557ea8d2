#if Server
import Console
import SafeServer
import SafeServerHTTP
import SafeStore

extension AnswerFailure {
    /// The line of the log, without ids, logins and addresses.
    var line: String { "warning: answered with \(status): \(cause)" }

    private var cause: String {
        switch self {
        case .store(let error): error.cause
        case .accounts(let error): "the accounts cannot be read: \(error.failure.message)"
        case .hashes: "too many passwords are being compared"
        }
    }
}

extension StoreError {
    /// Why the store failed. It names no id.
    var cause: String {
        switch self {
        case .full: "no space is left in the store"
        case .quota: "the quota of an account is used up"
        case .busy: "another program has locked the backups, or too many uploads wait for one account"
        case .throttled: "the object store asks for fewer requests"
        case .unavailable: "the store cannot be reached now, or its disk fails, or too many files are open"
        case .forbidden: "the account was removed or has another password"
        case .failed(let reason): reason
        }
    }
}

extension BusyListener {
    /// The line of the log.
    var line: String {
        switch self {
        case .threads: "warning: answered with 503: all --workers threads are busy, or the store does not answer"
        case .memory: "warning: answered with 503: --max-body-memory is used up"
        case .slowUpload:
            "warning: answered with 408: --max-body-memory is used up; the slowest uploads of the network with most of "
                + "it are ended"
        }
    }
}
#endif
