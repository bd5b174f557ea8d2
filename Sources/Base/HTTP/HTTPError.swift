/// Why a request has no answer. Holds no URL.
package enum HTTPError: Error, Equatable, Sendable {
    /// No answer came, or not a whole one.
    case connection(ConnectionFailure)
    /// The server's certificate is not accepted; nothing was sent.
    case certificate(CertificateFailure)
    /// The server's public key is none of those that are pinned; nothing was sent. `offered` is nil if the key could
    /// not be read.
    case pinMismatch(offered: PublicKeyPin?)
    /// The text of certificate authorities holds no certificate that can be read.
    case badAuthority
    /// The URL is malformed, or has another origin than its endpoint.
    case badURL
    /// The body is longer than the request's limit.
    case bodyTooLong
    /// The client's library is missing or too old; the name of its Debian package.
    case libraryMissing(package: String)
    /// There is not enough memory to load the client's library, or to use it.
    case libraryNeedsMemory
}

/// Why a server cannot be reached.
public enum ConnectionFailure: Equatable, Sendable {
    /// Its name has no address.
    case unknownHost
    /// Its name, or the proxy's, could not be looked up in time.
    case noNameServer
    /// It, or the proxy, does not take connections.
    case notConnected
    /// The proxy does not lead there.
    case proxy
    /// It did not answer in time.
    case timeout
    /// Its answer is not valid HTTP, or its headers are too long.
    case badAnswer
    /// The connection broke off.
    case brokenOff
}

/// Why a certificate is not accepted. The texts are the certificate's own.
public enum CertificateFailure: Equatable, Sendable {
    /// The day on which it ended.
    case expired(String)
    /// The day on which it begins.
    case notYetValid(String)
    /// The names that it was issued for.
    case otherHost([String])
    /// Who issued it.
    case unknownIssuer(String)
    /// It is signed with its own key.
    case selfSigned
    /// No common version of TLS or cipher.
    case handshake
    /// Anything else, in the library's words.
    case other(String)
}
