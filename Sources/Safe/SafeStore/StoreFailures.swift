internal import AtomicFiles
internal import Glibc

extension StoreError {
    init(_ error: FileError) {
        self =
            switch error {
            case .system(_, _, ENOSPC), .system(_, _, EDQUOT), .system(_, _, EFBIG): .full
            case .system(_, _, EMFILE), .system(_, _, ENFILE), .system(_, _, ESTALE), .system(_, _, EIO),
                .system(_, _, ETIMEDOUT), .system(_, _, EHOSTDOWN):
                .unavailable
            case .locked: .busy
            default: .failed(reason: error.reason)
            }
    }
}

extension FileError {
    /// What is wrong, without the path, which may contain an id.
    fileprivate var reason: String {
        switch self {
        case .missing: "a directory of the store is missing"
        case .exists: "a file of the store already exists"
        case .exposed: "a file of the store is accessible to other users"
        case .notOurs: "a file of the store belongs to another account"
        case .wrongKind: "something that is not a regular file or directory is in the store"
        case .unsafeLink: "another user could redirect a link of the store"
        case .tooLarge(_, let limit): "a backup is longer than \(limit) bytes"
        case .locked: "another program has locked the backups"
        case .system(let operation, _, let code):
            "cannot \(operation.rawValue) a file of the store: "
                + (unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)").lowercased()
        }
    }
}
