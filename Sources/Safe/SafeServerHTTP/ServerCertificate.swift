#if Server
package import Encodings
internal import NIOSSL
internal import Primitives
internal import Synchronization

/// The certificate and the key with which a listener proves who it is. They can be replaced while it runs:
/// connections that are open keep theirs.
package final class ServerCertificate: Sendable {
    private struct Loaded {
        let context: NIOSSLContext
        let pin: String
        let term: CertificateTerm
        /// A digest of both files.
        let digest: [UInt8]
    }

    private let current: Mutex<Loaded>

    /// - Parameters:
    ///   - chain: PEM, the server's own certificate first.
    ///   - key: PEM.
    package init(chain: [UInt8], key: [UInt8]) throws(ServerCertificateError) {
        current = Mutex(try Self.load(chain, key))
    }

    /// Uses others from now on. If one cannot be used, the present ones stay. They also stay, with the sessions that
    /// clients may resume, if both files are the same.
    package func replace(chain: [UInt8], key: [UInt8]) throws(ServerCertificateError) {
        let digest = Self.digest(chain, key)
        guard current.withLock({ $0.digest != digest }) else { return }
        let loaded = try Self.load(chain, key)
        current.withLock { $0 = loaded }
    }

    /// The pin of the key: `sha256//` and Base64.
    package var pin: String { current.withLock(\.pin) }

    /// When the server's own certificate is valid.
    package var term: CertificateTerm { current.withLock(\.term) }

    var context: NIOSSLContext { current.withLock(\.context) }

    private static func digest(_ chain: [UInt8], _ key: [UInt8]) -> [UInt8] {
        SHA256.hash((SHA256.hash(chain.span) + SHA256.hash(key.span)).span)
    }

    private static func load(_ chain: [UInt8], _ key: [UInt8]) throws(ServerCertificateError) -> Loaded {
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes(chain), let own = certificates.first else {
            throw .noCertificate
        }
        let digest = digest(chain, key)
        guard let key = try? NIOSSLPrivateKey(bytes: key, format: .pem) else { throw .noKey }
        // An expired certificate is used, too: clients then say what is wrong, and the operator is told by `term`.
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["h2", "http/1.1"]
        guard let context = try? NIOSSLContext(configuration: configuration),
            let publicKey = try? own.extractPublicKey().toSPKIBytes()
        else { throw .mismatch }
        let keyDigest = SHA256.hash(publicKey.span)
        return Loaded(
            context: context, pin: "sha256//" + Base64.encode(keyDigest.span), term: CertificateTerm(own),
            digest: digest)
    }
}

/// When a certificate is valid.
package struct CertificateTerm: Equatable, Sendable {
    /// Before this time it is not valid yet.
    package let begin: Timestamp
    /// After this time it has expired.
    package let end: Timestamp

    fileprivate init(_ certificate: NIOSSLCertificate) {
        begin = Timestamp(milliseconds: Int64(certificate.notValidBefore) * 1000)
        end = Timestamp(milliseconds: Int64(certificate.notValidAfter) * 1000)
    }
}

/// Why a certificate cannot be used.
package enum ServerCertificateError: Error, Equatable, Sendable {
    /// The file holds no certificate.
    case noCertificate
    /// The file holds no key, or one with a passphrase.
    case noKey
    /// The key is not that of the certificate.
    case mismatch
}
#endif
