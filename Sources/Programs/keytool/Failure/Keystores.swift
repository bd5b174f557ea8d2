import Console
import KeyWrapping
import Keystore

extension KeystoreError: Explained {
    var failure: Failure {
        switch self {
        case .absent(let path):
            Failure(
                .absent, "there is no identity in \(path)",
                hints: "keytool id create, keytool backup import, or keytool safe pull --id ID --server URL"
            ).because(of: "no_identity")
        case .noIdentity(let owner):
            Failure(.absent, "there is no identity \(owner.id) in the keystore", hints: "keytool id list")
                .because(of: "no_identity")
        case .exists(let owner):
            Failure(.exists, "the keystore holds \(owner.id) already", hints: "keytool id show \(owner.id)")
        case .foreign(let path):
            Failure(.exists, "\(path) is not keytool's", hints: "choose another directory with --keystore")
        case .masterKeyMissing(let path):
            Failure(
                .badData, "\(path) holds identities, but not the key that opens them",
                hints: "restore \(path)/master.key from a copy of the directory; no new key was made")
        case .notEmpty(let path):
            Failure(
                .exists, "\(path) holds identities, which another master key would not open",
                hints: "choose another directory with --keystore")
        case .unprotected(let path):
            Failure(
                .wrongPassword, "a passphrase was given, but the keystore is not protected by a passphrase",
                hints: "somebody may have replaced the keystore: compare \(path) with an older copy",
                "if you know that it is unprotected: keytool key protect, or give no passphrase")
        case .changed(let path):
            Failure(.locked, "another keytool changed \(path) meanwhile", hints: "nothing was changed here; try again")
        case .damaged(let record, nil):
            Failure(
                .badData, "the master key does not open the keystore: one of them is damaged",
                hints: "restore master.key and \(record) together from a copy of the directory")
        case .damaged(let record, let owner?):
            Failure(
                .badData, "the record \"\(record)\" of \(owner.id) is damaged",
                hints: Self.waysOut(ofDamaged: record, owner.id) + ["or restore the whole keystore from a copy"])
        case .unknownVersion(let version):
            Failure(
                .badData, "the keystore has version \(version), which this keytool does not know",
                hints: "a newer keytool made it: install that one")
        case .notConverted(let path):
            Failure(
                .badData, "\(path) is of version 1, but the keystore was converted to version 2; it is not read",
                hints:
                    "restore the whole keystore from the old copy into an empty directory, and name it with --keystore"
            )
        }
    }

    /// Commands that forget or replace a damaged record.
    private static func waysOut(ofDamaged record: String, _ id: String) -> [String] {
        switch record {
        case "safe":
            [
                "the private key is not in it: keytool safe delete --force \(id) forgets the setup, then keytool safe setup \(id)",
                "or keytool safe pull --id \(id) --server URL --replace, if the backup on the server is good",
            ]
        case "profile", "devicegroupkey":
            [
                "the private key is not in it: keytool safe pull --replace \(id) restores it from the Safe backup",
                "without a Safe backup: keytool backup export \(id), keytool id remove \(id), keytool backup import",
            ]
        case "identity":
            [
                "keytool backup import --replace restores the private key from the backup code",
                "or keytool safe pull --replace --replace-key \(id) \(id) restores it from the Safe backup",
            ]
        default: ["keytool id remove \(id), then restore the identity from its backup code or its Safe"]
        }
    }
}

extension KeyFileError: Explained {
    var failure: Failure {
        switch self {
        case .malformed:
            Failure(.badData, "the key file is damaged, or it is none", hints: "restore it from a copy")
        case .unknownVersion(let version): Failure(.badData, "the key file has version \(version), which is not known")
        case .unknownProtection(let number):
            Failure(.badData, "the key file has protection type \(number), which is not known")
        case .cost(let parameter, let value):
            Failure(.badData, "the key file asks for \(value) \(parameter.words)")
        case .remoteSecret:
            Failure(
                .badData, "the key file is protected by a remote secret, which only the app's server gives out",
                hints: "open it in the app, and export a backup code there")
        case .protected: Failure(.needSecret, "the keystore is protected by a passphrase")
        case .notOpened:
            Failure(.wrongPassword, "the passphrase does not open the key file, or the file is damaged")
        case .derivation(let error): error.failure
        case .notReproduced: .defect("the new master key file does not open again; the old one still stands")
        }
    }
}

extension Argon2idCost.Parameter {
    fileprivate var words: String {
        switch self {
        case .memory: "KiB of memory; 8 to 1048576 are accepted"
        case .iterations: "passes over the memory; 1 to 64 are accepted"
        case .parallelism: "parallel lanes; 1 is accepted"
        case .salt: "bytes of salt; 16 to 64 are accepted"
        case .work: "KiB of memory times passes; 33554432 are accepted"
        }
    }
}

extension KernelKeyringError: Explained {
    var failure: Failure {
        Failure(
            .unavailable, "the kernel's keyring cannot be used: \(systemMessage(code))",
            hints: "the passphrase goes on being asked for; containers often forbid keyrings")
    }
}
