import KeyWrapping
import Keystore

extension KeystoreError: Explained {
    var failure: Failure {
        switch self {
        case .absent(let path):
            Failure(.absent, "there is no identity in \(path)", hints: "keytool id create, or keytool backup import")
        case .noIdentity(let id):
            Failure(.absent, "there is no identity \(id) in the keystore", hints: "keytool id list")
        case .exists(let id): Failure(.exists, "the keystore holds \(id) already", hints: "keytool id show \(id)")
        case .foreign(let path):
            Failure(.exists, "\(path) is not keytool's", hints: "choose another folder with --keystore")
        case .masterKeyMissing(let path):
            Failure(
                .badData, "\(path) holds identities, but not the key that opens them",
                hints: "restore \(path)/master.key from a copy of the folder; no new key was made")
        case .damaged(let record, nil):
            Failure(
                .badData, "the master key does not open the keystore: one of them is damaged",
                hints: "restore master.key and \(record) together from a copy of the folder")
        case .damaged(let record, let id?):
            Failure(
                .badData, "the record \"\(record)\" of \(id) is damaged",
                hints: "restore the folder from a copy, or the identity from its backup code or its Safe")
        }
    }
}

extension KeyFileError: Explained {
    var failure: Failure {
        switch self {
        case .malformed: Failure(.badData, "the master key file is damaged", hints: "restore master.key from a copy")
        case .unknownVersion(let version):
            Failure(.badData, "the master key file has version \(version), which is not known")
        case .protected(.passphrase):
            Failure(.unavailable, "the master key is protected by a passphrase, which this version cannot open")
        case .protected(.remoteSecret):
            Failure(.unavailable, "the master key is protected by a remote secret, which this version cannot open")
        }
    }
}
