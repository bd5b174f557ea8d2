#if Server
import Console
import Glibc
import SafeServerHTTP

extension ListenError {
    func failure(of address: TypedListenAddress) -> Failure {
        switch self {
        case .system(EADDRINUSE):
            Failure(.unavailable, "another program is listening on \(address.text)")
        case .notASocket: Failure(.exists, "\(address.text): a file that is not a socket is in its place")
        case .system(EACCES):
            Failure(.permission, "permission denied: \(address.text)")
        case .system(let code):
            Failure(.unavailable, "cannot listen on \(address.text): \(systemMessage(code))")
        case .other(let reason):
            Failure(.unavailable, "cannot listen on \(address.text): \(reason.printable)")
        }
    }
}

extension ServerCertificateError: Explained {
    var failure: Failure {
        switch self {
        case .noCertificate: Failure(.badData, "no usable certificate (PEM) in --tls-certificate FILE")
        case .noKey:
            Failure(
                .badData, "no usable key (PEM) in --tls-key FILE", hints: "a key with a passphrase cannot be used")
        case .mismatch: Failure(.badData, "the key in --tls-key FILE is not that of the certificate")
        }
    }
}

/// A running server with a self-signed certificate has found another key.
struct OtherPin: Explained {
    var failure: Failure {
        Failure(.badData, "tls/key.pem in the store's directory is another key than the one whose pin clients know")
    }
}

extension SelfSignedError: Explained {
    var failure: Failure {
        switch self {
        case .name(let name):
            Failure(.usage, "'\(name.printable)' in --tls-self-signed is neither a host name nor an address")
        case .key:
            Failure(
                .badData, "tls/key.pem in the store's directory is damaged", hints: Self.restoreKey)
        case .missingKey:
            Failure(
                .noInput, "tls/key.pem in the store's directory is missing, but clients may know its pin",
                hints: Self.restoreKey)
        case .authority:
            Failure(
                .badData, "tls/authority.pem in the store's directory is damaged",
                hints: "if you remove it, the next start makes a new one; clients accept both")
        case .otherKey:
            Failure(
                .badData, "tls/key.pem in the store's directory is not the key of tls/authority.pem",
                hints: Self.restoreKey)
        case .library: Failure(.failed, "OpenSSL cannot make a certificate")
        }
    }

    private static let restoreKey = Hint(
        "restore the key from a backup; if you remove the directory tls, the next start makes a new one, with another "
            + "pin and authority")
}
#endif
