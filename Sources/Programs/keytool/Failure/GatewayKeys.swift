import Console
import Threema
import ThreemaKeeping

extension GatewayKeyError: Explained {
    var failure: Failure {
        switch self {
        case .malformed:
            Failure(
                .badData, "this is not the private key of a Gateway ID",
                hints: "it is private: and 64 hexadecimal digits, in one line")
        case .isPublic:
            Failure(
                .badData, "this is a public key, not the private key", hints: "the private one begins with private:")
        case .severalLines: Failure(.badData, "the file has more than one line, so it is not clear which key is meant")
        case .zeros: Failure(.badData, "all bytes of the key are zero")
        }
    }
}

extension GatewayKeepingError: Explained {
    var failure: Failure {
        switch self {
        case .otherSecret(let id):
            Failure(
                .exists, "the keystore holds another API secret of \(id)",
                hints: "nothing was changed: use --replace if the Gateway has a new one"
            ).because(of: "other_secret")
        }
    }
}

extension NoGatewaySecret: Explained {
    var failure: Failure {
        Failure(
            .absent, "the keystore has no API secret of \(name)",
            hints: "keytool backup import FILE --gateway-secret-file F adds it; FILE is a backup code of this ID",
            "or FILE is its key, with --id ID",
            "keytool backup export ID --format gateway --reveal-private-key --output FILE writes the key"
        ).because(of: "no_secret")
    }
}

extension AndroidPrivateKeyFile: Explained {
    var failure: Failure {
        Failure(
            .badData,
            "\(path) seems to be a value that the Android app has sealed with its master key; keytool does not read it",
            hints: "on the phone, make an ID backup, a data backup or a Safe: keytool backup import, keytool safe pull")
    }
}
