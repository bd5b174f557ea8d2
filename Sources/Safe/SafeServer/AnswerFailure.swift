public import AtomicFiles
public import SafeStore

/// Why a request was answered with 500, 503 or 507, or with 429 by the store, for the operator. It names neither id,
/// login nor client.
public enum AnswerFailure: Equatable, Sendable {
    /// The store has not done what it was asked.
    case store(StoreError)
    /// The accounts cannot be read.
    case accounts(FileError)
    /// Too many passwords are being compared, or there is no memory to compare one.
    case hashes
}

extension AnswerFailure {
    /// The status of the answer.
    public var status: Int {
        switch self {
        case .store(.full), .store(.quota): 507
        case .store(.throttled): 429
        case .store(.busy), .store(.unavailable), .accounts, .hashes: 503
        case .store(.failed): 500
        case .store(.forbidden): 401
        }
    }
}
