package import Console
package import KeyWrapping
package import Keystore
import MessengerKeeping
import ThreemaRecords

extension KeystoreError: Explained {
    /// The last commit of this repository that reads and converts keystores of version 1.
    private static let lastWithVersion1 = "216ba70a425e"

    package var failure: Failure {
        switch self {
        case .absent(let path):
            Failure(
                .absent, "there is no identity in \(path)",
                hints: "keytool id create, keytool backup import, or keytool safe pull --id ID --server URL"
            ).because(of: "no_identity")
        case .noIdentity(let owner):
            Failure(.absent, "there is no identity \(owner.name) in the keystore", hints: "keytool id list")
                .because(of: "no_identity")
        case .exists(let owner):
            Failure(.exists, "the keystore already holds \(owner.name)", hints: "keytool id show \(owner.name)")
        case .foreign(let path):
            Failure(.exists, "\(path) does not belong to keytool", hints: "choose another directory with --keystore")
        case .masterKeyMissing(let path):
            Failure(
                .badData, "\(path) holds identities, but master.key is missing",
                hints: "restore \(path)/master.key from a copy of the directory; no new key was created")
        case .notEmpty(let path):
            Failure(
                .exists, "\(path) already holds identities; another master key cannot open them",
                hints: "choose another directory with --keystore")
        case .unprotected(let path):
            Failure(
                .wrongPassword, "a passphrase was given, but the keystore is not protected by a passphrase",
                hints: "somebody may have replaced the keystore: compare \(path) with an older copy",
                "if you know that it has no passphrase: give none, or run keytool key protect")
        case .changed(let path):
            Failure(
                .locked, "another keytool process changed \(path) at the same time",
                hints: "this command changed nothing; try again")
        case .moved(let path):
            Failure(
                .io, "somebody moved or replaced the keystore \(path) while this command ran",
                hints: "this command changed nothing there; if it is in its place again, try again"
            ).because(of: "keystore_moved")
        case .damaged(let record, let owner?, let place?):
            // The damaged place may not be that of the command, whose hints would name its own.
            Self.damaged(record, of: owner, " at the place \(place.text)").at(place.text)
        case .damaged(let record, let owner, _): Self.damaged(record, of: owner)
        case .unknownVersion(let version):
            Failure(
                .badData, "the keystore has version \(version), which this keytool does not support",
                hints: "a newer keytool created it: install that version")
        case .version1(let path):
            Failure(
                .badData, "the keystore \(path) has version 1, which this keytool does not read",
                hints:
                    "commit \(Self.lastWithVersion1) is the last that converts it: build it, and run its keytool id list",
                "if the version stays, move away what that id list leaves out below identities, and run it again"
            )
        }
    }

    /// - Parameter owner: nil for a record of the keystore itself.
    private static func damaged(_ record: String, of owner: Owner?, _ place: String = "") -> Failure {
        switch (record, owner) {
        case (_, nil):
            Failure(
                .badData, "the master key does not open the keystore: master.key or \(record) is damaged",
                hints: "restore master.key and \(record) together from a copy of the directory")
        case ("pending", let owner?):
            Failure(
                .badData, "the pending key \(owner.id.prefix(8))… is damaged",
                hints: "keytool id remove --pending \(owner.id.prefix(8)) removes it",
                "or restore the whole keystore from a copy")
        case (_, let owner?):
            Failure(
                .badData, "the record \"\(record)\" of \(owner.name)\(place) is damaged",
                hints: waysOut(ofDamaged: record, owner) + ["or restore the whole keystore from a copy"])
        }
    }

    /// Commands that forget or replace a damaged record.
    private static func waysOut(ofDamaged record: String, _ owner: Owner) -> [Hint] {
        switch (owner.messenger, record) {
        case (_, "commit"):
            [
                "the other records may be as they were: copy the whole keystore, then move the file identities/\(owner.messenger)/\(owner.id)/commit out of it",
                "then keytool doctor, and write the keys to a file; until then remove nothing",
            ]
        case (Owner.threema, _): waysOut(ofThreema: record, owner)
        case (Owner.mainKey, "autolock"):
            ["nothing else is affected: keytool mainkey timeout never \(owner.id) writes it again"]
        case (Owner.sophaxChat, "prekeys"):
            ["the identity is not affected: keytool sophaxchat export --without-prekeys \(owner.id) -o FILE writes it"]
        case (Owner.sophaxChat, "pin"), (Owner.sophaxChat, "attempts"), (Owner.sophaxChat, "changes"),
            (Owner.sophaxChat, "clearings"):
            [
                "the identity is not affected, only the lock of its PIN: keytool sophaxchat export \(owner.id) -o FILE writes it",
                "then keytool id remove \(owner.name), and keytool sophaxchat import without a PIN",
            ]
        case (Owner.onPrem, _):
            [
                "keytool onprem import SOURCE --key BASE64 --name \(owner.onPrem?.text ?? owner.id) --replace writes it again, with --onprem-user if the licence has a login"
            ]
        case (_, "account"), (_, "identity"), (_, "protections"):
            ["keytool id remove \(owner.name), then import it again from an exported file or an archive"]
        default: [foreign(record, of: owner)]
        }
    }

    /// keytool writes no record of this name, as far as this version knows: nothing that belongs to the identity is lost.
    private static func foreign(_ record: String, of owner: Owner) -> Hint {
        "the keys are not affected: move the file identities/\(owner.messenger)/\(owner.id)/\(record) out of the keystore"
    }

    private static func waysOut(ofThreema record: String, _ owner: Owner) -> [Hint] {
        let id = owner.id
        return switch record {
        case "safe":
            [
                "the private key is not affected: \(safe: "delete") --force \(id) forgets the setup, then \(safe: "setup") \(id)",
                "or \(safe: "pull") --id \(id) --server URL --replace, if the backup on the server is good; with --read-only, if a phone writes it",
            ]
        case "profile", "devicegroupkey":
            [
                "the private key is not affected: \(safe: "pull") --replace \(id) restores the record from the Safe backup, with --name PLACE if there are several places",
                "or \(safe: "pull") --replace --from N \(id), from a backup of \(safe: "history") \(id)",
                "without a Safe backup: keytool backup export \(id), keytool id remove \(id), keytool backup import",
            ]
        case "directory":
            ["nothing else is affected: name the directory with --directory, and it is written again"]
        case "gatewaysecret":
            [
                "the private key is not affected: keytool backup import KEYFILE --id \(id) --gateway-secret-file FILE writes it again"
            ]
        case "linking":
            ["nothing else is affected: keytool id link mobile NUMBER --identity \(id) writes it again"]
        case "history": ["nothing else is affected: take another backup of \(safe: "history") \(id)"]
        case "shares": ["nothing else is affected: keytool backup split \(id) --shares 3/5 --sheet DIR writes it again"]
        case "kit": ["nothing else is affected: keytool backup kit \(id) -o FILE.pdf writes it again"]
        case "matchtoken": ["nothing else is affected: keytool contact match FILE --identity \(id) writes it again"]
        case "contactstates":
            ["nothing else is affected: keytool contact check --identity \(id) writes it again"]
        case "identity":
            [
                "keytool backup import --replace restores the private key from the backup code",
                "or \(safe: "pull") --replace --replace-key \(id) \(id) restores it from the Safe backup",
            ]
        default: [foreign(record, of: owner)]
        }
    }
}

extension KeyFileError: Explained {
    package var failure: Failure {
        switch self {
        case .malformed:
            Failure(.badData, "the file is damaged, or is not a key file", hints: "restore it from a copy")
        case .unknownVersion(let version):
            Failure(.badData, "the key file has version \(version), which is not supported")
        case .unknownProtection(let number):
            Failure(.badData, "the key file has protection type \(number), which is not supported")
        case .cost(let parameter, let value):
            Failure(.badData, "the key file requires \(value) \(parameter.words)")
        case .remoteSecret:
            Failure(
                .badData, "the key file is protected by a remote secret, which only the app's server has",
                hints: "open it in the app, and export a backup code there")
        case .sealedByPhone:
            Failure(
                .badData, "the key file is sealed with a key of the phone, which never leaves it",
                hints:
                    "on that phone, make an ID backup, a data backup or a Safe: keytool backup import, keytool safe pull",
                "a key.dat or master_key.dat in an earlier copy of the app's files has the same key")
        case .protected: Failure(.needSecret, "the keystore is protected by a passphrase")
        case .notOpened:
            Failure(.wrongPassword, "the passphrase is wrong, or the key file is damaged")
        case .derivation(let error): error.failure
        case .notReproduced: .defect("verification of the new master key file failed; it was not stored")
        }
    }
}

extension Argon2idCost.Parameter {
    fileprivate var words: String {
        switch self {
        case .memory: "KiB of memory; 8 to 1048576 are accepted"
        case .iterations: "passes over the memory; 1 to 64 are accepted"
        case .parallelism: "parallel lanes; only 1 is accepted"
        case .salt: "bytes of salt; 16 to 64 are accepted"
        case .work: "KiB of memory times passes; at most 33554432 are accepted"
        }
    }
}

extension KernelKeyringError: Explained {
    package var failure: Failure {
        Failure(
            .unavailable, "the kernel's keyring cannot be used: \(systemMessage(code))",
            hints: "keytool will ask for the passphrase each time; containers often forbid keyrings")
    }
}
