import CommandLine
import Console
import MessengerKeeping
import ProtonMainKey

extension MainKeyKeepingError: Explained {
    var failure: Failure {
        switch self {
        case .noKey(let id):
            Failure(.absent, "there is no MainKey \(id) in the keystore", hints: "keytool mainkey status")
                .because(of: "no_mainkey")
        case .changed(let id):
            Failure(
                .locked, "another keytool process changed the protections of \(id) at the same time",
                hints: "this command changed nothing; try again")
        case .noProtection(let kinds, let id):
            Failure(
                .wrongPassword,
                kinds == .pin
                    ? "a PIN was given, but the MainKey is not protected by a PIN"
                    : "--identity was given, but the MainKey is not protected by a key",
                hints: "somebody may have replaced the keystore: keytool mainkey status \(id) shows the protections")
        case .wrongPIN: Failure(.wrongPassword, "wrong PIN")
        case .wrongIdentity(let id):
            Failure(
                .wrongPassword, "no key of --identity opens the MainKey",
                hints: id.map { "keytool mainkey status \($0) shows the recipients" }
                    ?? "name the file with the secret key of a recipient that the command names")
        case .otherKey(let id):
            Failure(
                .badData, "the protection of \(id) opens, but contains another key",
                hints: "restore the whole keystore from a copy")
        case .refused(let id, let refusal): refusal.failure(of: id)
        case .unproven:
            Failure(
                .usage, "the copy in the clear is removed only after the PIN or key has opened the MainKey",
                hints: "give the PIN or --identity")
        case .unknownVersion(let record, let version):
            Failure(
                .badData, "the record \"\(record)\" has version \(version), which this keytool does not support",
                hints: "a newer keytool created it: install that version")
        case .alwaysLocked(let id):
            Failure(
                .usage, "the MainKey opens, but the autolock setting is always: the key is not stored",
                hints: "keytool mainkey timeout never \(id), or a number of minutes in the place of never")
        case .notRemoved(let id): Failure(.io, "the MainKey \(id) is still there after its removal")
        case .tooManyRecipients(let limit): Failure(.usage, "a key protection has at most \(limit) recipients")
        }
    }
}

extension ProtectionRefusal {
    fileprivate func failure(of id: CheckValue) -> Failure {
        switch self {
        case .exists(.pin):
            Failure(
                .exists, "the MainKey is already protected by a PIN",
                hints: "keytool mainkey passwd \(id) changes it")
        case .exists(.key):
            Failure(.exists, "the MainKey is already protected by a key", hints: "--replace replaces its recipients")
        case .exists: Failure(.exists, "a copy of the MainKey is already in the clear")
        case .absent(.pin):
            Failure(.absent, "the MainKey has no PIN", hints: "keytool mainkey protect pin --id \(id)")
        case .absent(.key): Failure(.absent, "the MainKey has no key protection")
        case .absent: Failure(.absent, "the MainKey has no copy in the clear")
        case .onlyCopy:
            Failure(
                .usage, "the copy in the clear is the only one",
                hints: "first: keytool mainkey protect pin --id \(id)",
                "or destroy the key: keytool mainkey wipe \(id)")
        }
    }
}

extension MainKeyNeedsIdentity: Explained {
    var failure: Failure {
        Failure(
            .needSecret, "the MainKey is protected by a key; its secret half opens it",
            hints: "name the file with the secret key: --identity AGEKEYFILE")
    }
}

extension MainKeyFileError: Explained {
    var failure: Failure {
        switch self {
        case .otherContent(let path):
            Failure(.badData, "\(path) opens, but does not contain a MainKey of \(MainKey.count) bytes")
        case .notProtected(let path, let means):
            Failure(
                .wrongPassword,
                means == .age
                    ? "a passphrase or --identity was given, but \(path) is not an age file"
                    : "a PIN was given, but \(path) is not protected by a PIN",
                hints: "somebody may have replaced the file: compare it with an older copy")
        case .unknown(let path):
            Failure(
                .badData, "\(path) contains no MainKey",
                hints: "a MainKey is an age file, or 32 bytes, also as hexadecimal or Base64 text",
                "a directory holds the app's items: NoneProtection, or PinProtection and PinProtection.salt")
        case .noItems(let path):
            Failure(
                .badData, "\(path) holds no item of a MainKey",
                hints: "the app's items are NoneProtection, PinProtection, PinProtection.salt, PinProtection.version")
        case .onlyBiometric(let path):
            Failure(
                .badData, "\(path) holds only a copy that one device's chip opens",
                hints: "in the app, switch to a PIN, and take the items again")
        case .onlyRandomPIN(let path):
            Failure(
                .badData, "\(path) holds the key only under a text that the app made; no PIN opens it",
                hints: "in the app, switch to a PIN, and take the items again")
        case .otherClearCopy(let path):
            Failure(
                .verifyFailed, "\(path)/NoneProtection is another key than the one that the PIN opens",
                hints: "one of the two was changed, or they belong to different logins; delete neither",
                "nothing was stored; import FILE --proof VALUE tries each: \(path)/NoneProtection, or the rest alone")
        case .notProven(let path, let error):
            Failure(
                .verifyFailed, "the key does not open \(path): \(error.failure.message)",
                hints: "the items or the value were changed, or they belong to different logins; nothing was stored")
        }
    }
}

extension MainKeyError: Explained {
    var failure: Failure {
        switch self {
        case .wrongLength(let expected, let actual):
            Failure(.badData, "a MainKey has \(expected) bytes, not \(actual)")
        }
    }
}
