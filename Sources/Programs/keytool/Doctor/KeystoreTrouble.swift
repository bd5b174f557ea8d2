import AtomicFiles
import Console
import KeyWrapping
import Keystore

/// Why a keystore cannot be used, by the type of the error: no path, no ID and no name of an account.
struct KeystoreTrouble {
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
        case .damaged(let record, nil):
            "the master key does not open the record \"\(record)\": one of them is damaged"
        case .damaged(let record, .some): "a record \"\(record)\" of an identity is damaged"
        case .masterKeyMissing: "it holds identities, but not the key that opens them"
        case .foreign: "a file that is not keytool's is in the place of one of its records"
        case .unprotected: "a passphrase was given, but it is not protected by one"
        case .unknownVersion(let version): "it has version \(version), which this keytool does not know"
        case .absent: "it is empty"
        case .noIdentity: "an identity was removed meanwhile"
        case .changed: "another keytool changed it meanwhile"
        case .exists, .notEmpty: "it holds identities already"
        case .notConverted: "an identity is of version 1, and is not read"
        }
    }

    private static func words(_ error: FileError) -> String {
        switch error {
        case .missing: "one of its files is missing"
        case .exists: "a file is in the way"
        case .exposed(_, let mode): "one of its files is open to others (mode 0\(String(mode, radix: 8)))"
        case .notOurs: "one of its files belongs to another account"
        case .wrongKind: "one of its files is a link or a special file"
        case .unsafeLink: "another account could redirect its path"
        case .tooLarge(_, let limit): "one of its files is longer than \(limit) bytes"
        case .locked: "another keytool is at work in it"
        case .system(let operation, _, let code):
            "one of its files cannot be used: \(operation.rawValue): \(systemMessage(code))"
        }
    }
}
