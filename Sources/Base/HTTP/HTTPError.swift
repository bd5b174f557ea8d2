/// Why a request has no answer. It contains no URL.
public enum HTTPError: Error, Equatable, Sendable {
    /// The answer is missing or incomplete.
    case connection(ConnectionFailure)
    /// The server's certificate is not accepted; nothing was sent.
    case certificate(CertificateFailure)
    /// The server's public key is none of `expected`, the pins of its endpoint; nothing was sent. `offered` is nil if
    /// the key could not be read.
    case pinMismatch(expected: [PublicKeyPin], offered: PublicKeyPin?)
    /// The given certificate authorities contain no usable certificate.
    case badAuthority
    /// The URL is malformed, or has another origin than its endpoint.
    case badURL
    /// The body is longer than the request's limit.
    case bodyTooLong
    /// The client's library is missing or too old. `package` is its Debian package.
    case libraryMissing(package: String)
    /// The system refuses the memory to load or use the client's library.
    case libraryNeedsMemory
}

/// A connection failure: why a server cannot be reached.
public enum ConnectionFailure: Equatable, Sendable {
    /// Its name has no address.
    case unknownHost
    /// No name server resolved its name, or the proxy's, in time.
    case noNameServer
    /// It, or the proxy, refuses connections.
    case notConnected
    /// The proxy does not connect to it.
    case proxy(ProxyFailure)
    /// It did not answer in time.
    case timeout
    /// Its answer is not valid HTTP, or its headers are too long.
    case badAnswer
    /// The connection was closed too early.
    case brokenOff
}

/// Why a server cannot be reached through a proxy. Nothing was sent to the server.
public enum ProxyFailure: Equatable, Sendable {
    /// The proxy's name has no address, or no name server answers.
    case unknownName
    /// The URL of the proxy has a scheme that the client's library does not know.
    case unknownScheme
    /// The certificate of the proxy, whose URL begins with https://, is not accepted.
    case untrusted
    /// The proxy refuses connections, or has no route.
    case notConnected
    /// The proxy requires a login, or does not accept the given one. `status` is 407; nil for SOCKS.
    case loginRequired(status: Int?)
    /// The proxy does not open the connection. `status` is its HTTP status, not 2xx; nil for SOCKS.
    case refused(status: Int?)
    /// The proxy's answer is not one of HTTP or SOCKS, or its headers are too long.
    case badAnswer
    /// The proxy closed the connection without an answer.
    case closed
    /// What came through the proxy, or from it in place of the server, is not TLS.
    case notTLS
    /// The connection was closed during the TLS handshake, by the proxy or by the server behind it.
    case cutOff
    /// The proxy, or the server behind it, did not answer in time.
    case timeout
}

/// A certificate failure: why a certificate is not accepted. The texts are from the certificate, so an attacker may
/// have written them.
public enum CertificateFailure: Equatable, Sendable {
    /// It has expired, on this day.
    case expired(String)
    /// It is not valid before this day.
    case notYetValid(String)
    /// It was issued for these other names.
    case otherHost([String])
    /// Its issuer is not trusted; the issuer's name.
    case unknownIssuer(String)
    /// It is self-signed.
    case selfSigned
    /// Client and server have no TLS version or cipher in common.
    case handshake
    /// The server has neither TLS 1.3 nor, in TLS 1.2, a cipher of ECDHE and an AEAD.
    case noForwardSecrecy
    /// Any other failure, as described by the TLS library.
    case other(String)
}
