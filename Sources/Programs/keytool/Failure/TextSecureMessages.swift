import CommandLine
import Console
import MessengerKeeping
import TextSecure

/// Why a file of a client was not used, beside the errors of its form.
enum ClientFileError: Error, Equatable {
    /// It is none of the forms in which clients have wrapped their master secret.
    case notClientStorage
    /// It is none of the files that `verify` opens.
    case notVerifiable
}

extension ClientFileError: Explained {
    var failure: Failure {
        switch self {
        case .notClientStorage:
            Failure(
                .badData, "this is not a client's master secret under a password",
                hints: "import-client reads the iOS client's (RNCryptor 3) and the Android client's (preferences, XML)")
        case .notVerifiable:
            Failure(
                .badData, "this is neither an age file nor a client's master secret under a password",
                hints: "for an attachment, give its key: --attachment-key-file FILE",
                "for a push payload: keytool-lab textsecure open-push")
        }
    }
}

extension ClientStorageError: Explained {
    var failure: Failure {
        switch self {
        case .wrongLength(let count):
            Failure(.badData, "a value of the client's storage has a wrong length: \(ByteCount.text(count))")
        case .unknownFormat: Failure(.badData, "this is not a file of RNCryptor 3 with a password")
        case .wrongPasswordOrDamaged:
            Failure(.wrongPassword, "the password of the client is wrong, or the file is damaged")
        case .wrongKeyOrDamaged: Failure(.badData, "the value has another master secret, or is damaged")
        case .malformed: Failure(.badData, "the file of preferences is damaged")
        case .tooLong(let limit): Failure(.badData, "the file is longer than \(ByteCount.text(limit))")
        case .missing(let name): Failure(.badData, "the file of preferences has no value \(name)")
        }
    }
}

extension TextSecureFileError: Explained {
    var failure: Failure {
        switch self {
        case .notAge:
            Failure(
                .badData, "this is not an age file",
                hints: "accounts are read from what keytool textsecure export has written")
        }
    }
}

extension TextSecureKeepingError: Explained {
    var failure: Failure {
        switch self {
        case .otherIdentity(let number, let held, let other):
            Failure(
                .exists, "the keystore holds \(number) with another identity key",
                hints: "held   \(held.fingerprint)", "other  \(other.fingerprint)",
                "nothing was replaced; to replace it: keytool id remove textsecure/\(number.text.dropFirst())"
            ).because(of: "other_key")
        case .otherState(let number):
            Failure(
                .exists,
                "the keystore holds \(number) with the same identity key, but with other prekeys or another login",
                hints: "nothing was replaced: the file may be older, and contain prekeys that have been used",
                "to restore it even so: keytool id remove textsecure/\(number.text.dropFirst()), and import again"
            ).because(of: "other_state")
        }
    }
}
