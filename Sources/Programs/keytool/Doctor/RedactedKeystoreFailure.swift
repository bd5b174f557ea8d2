import AtomicFiles
import CommandLine
import Console
import KeyWrapping
import Keystore

/// Why a keystore cannot be used, without a path, an ID or the name of an account.
struct RedactedKeystoreFailure {
    let words: String

    init(_ error: any Error) {
        words =
            switch error {
            case let error as KeystoreError: Self.words(error)
            case let error as FileError: Self.words(error)
            case let error as KeyFileError: error.failure.message
            default: "it cannot be opened: \(Failure(error).status.name)"
            }
    }

    private static func words(_ error: KeystoreError) -> String {
        switch error {
        case .damaged(let record, nil, _):
            "the master key does not open the record \"\(record)\": one of them is damaged"
        case .damaged(let record, .some, _): "a record \"\(record)\" of an identity is damaged"
        case .masterKeyMissing: "it holds identities, but master.key is missing"
        case .foreign: "a file of another program has the name of one of its records"
        case .unprotected: "a passphrase was given, but it has none"
        case .unknownVersion(let version): "it has version \(version), which this keytool does not support"
        case .absent: "it is empty"
        case .noIdentity: "an identity was removed during the check"
        case .changed: "another keytool process changed it during the check"
        case .moved: "somebody moved or replaced it during the check"
        case .exists, .notEmpty: "it already holds identities"
        case .version1: "the keystore has version 1, which this keytool does not read"
        }
    }

    private static func words(_ error: FileError) -> String {
        switch error {
        case .missing: "one of its files is missing"
        case .exists: "a file already exists"
        case .exposed(_, let mode): "one of its files is accessible to other users (mode 0\(String(mode, radix: 8)))"
        case .notOurs: "one of its files belongs to another account"
        case .wrongKind: "one of its files is a link, a special file or a directory, or its directory is a file"
        case .unsafeLink: "another user could redirect its path"
        case .tooLarge(_, let limit): "one of its files is longer than \(limit) bytes"
        case .locked: "another keytool process is using it"
        case .system(let operation, _, let code):
            "one of its files cannot be used: \(operation.rawValue): \(systemMessage(code))"
        }
    }
}
