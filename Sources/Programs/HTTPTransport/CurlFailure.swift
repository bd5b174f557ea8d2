internal import CCurl
internal import HTTP

extension CurlRequest.Result {
    /// Why a request has no answer.
    enum Failure {
        case known(HTTPError)
        /// The name has no address, or no name server answered. Another lookup tells which.
        case name
        /// The certificate is not accepted. The certificate itself tells why.
        case certificate
        /// The public key is not pinned. The certificate tells which key it is.
        case pin
    }

    /// The failure, by the codes of libcurl and OpenSSL and never by their sentences; nil if an answer came.
    var failure: Failure? {
        switch code {
        case CURLE_OK: nil
        case CURLE_OUT_OF_MEMORY where isRefused: .known(.libraryNeedsMemory)
        case _ where isRefused: .known(.libraryMissing(package: Curl.package))
        case CURLE_COULDNT_RESOLVE_HOST: .name
        case CURLE_COULDNT_RESOLVE_PROXY: .known(.connection(.proxy(.unknownName)))
        case CURLE_PROXY: .known(.connection(.proxy(ProxyFailure(socks: socksCode))))
        case CURLE_COULDNT_CONNECT where isAtProxy && tunnelStatus == 0: .known(.connection(.proxy(.notConnected)))
        // No name was looked up, not even a numeric one: the URL of the proxy has a scheme that libcurl does not know.
        case CURLE_COULDNT_CONNECT where !isNameLookedUp: .known(.connection(.proxy(.unknownScheme)))
        case CURLE_COULDNT_CONNECT where !isAtProxy: .known(.connection(.notConnected))
        case CURLE_OPERATION_TIMEDOUT where !isNameLookedUp: .known(.connection(.noNameServer))
        case CURLE_OPERATION_TIMEDOUT where isAtProxy: .known(.connection(.proxy(.timeout)))
        case CURLE_OPERATION_TIMEDOUT: .known(.connection(.timeout))
        case CURLE_PEER_FAILED_VERIFICATION where proxyVerification != 0: .known(.connection(.proxy(.untrusted)))
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR: .certificate
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .pin
        case CURLE_SSL_CACERT_BADFILE: .known(.badAuthority)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER: .known(handshakeError)
        // A failure between the connection to a proxy and the first byte to the server is the proxy's.
        case _ where isAtProxy: .known(.connection(.proxy(proxyFailure)))
        case CURLE_FILESIZE_EXCEEDED: .known(.bodyTooLong)
        // Our own URLs are well-formed, so this one is from a redirect.
        case CURLE_URL_MALFORMAT: .known(.badURL)
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL: .known(.connection(.badAnswer))
        // A single header of more than 100 KiB, once the status is known; newer versions have a code for it.
        case CURLE_OUT_OF_MEMORY where response.status > 0: .known(.connection(.badAnswer))
        case CURLcode(rawValue: 100): .known(.connection(.badAnswer))
        default: .known(.connection(.brokenOff))
        }
    }

    private var handshakeError: HTTPError {
        switch TLSError(message) {
        // A proxy may confirm a tunnel that it cannot open. Without a tunnel the handshake was with the proxy itself,
        // whose URL begins with https://, or with the server through SOCKS.
        case nil where isAtProxy, .unexpectedEnd where isAtProxy: .connection(.proxy(.cutOff))
        // A connection that breaks during the handshake is not a failure of the certificate.
        case nil, .unexpectedEnd: .connection(.brokenOff)
        // The proxy confirmed the tunnel, but answered itself; or it has no TLS itself.
        case .notTLS where isTunneled || isAtProxy: .connection(.proxy(.notTLS))
        case .notTLS, .other: .certificate(.handshake)
        }
    }
}

extension CurlRequest.Result {
    private var isTunneled: Bool { (200...299).contains(tunnelStatus) }

    /// Why a proxy of HTTP did not open the connection to the server.
    private var proxyFailure: ProxyFailure {
        switch code {
        // Headers that are too long; see `failure`.
        case CURLE_WEIRD_SERVER_REPLY, CURLE_OUT_OF_MEMORY, CURLcode(rawValue: 100): .badAnswer
        case _ where tunnelStatus == 407: .loginRequired(status: 407)
        case _ where tunnelStatus != 0 && !isTunneled: .refused(status: tunnelStatus)
        // The status 200 came, but not the end of the headers; or what came is no status.
        case _ where hasProxyHeaders: .badAnswer
        default: .closed
        }
    }
}

extension ProxyFailure {
    /// The failure of a SOCKS proxy.
    /// - Parameter code: libcurl's `CURLPX_…`.
    init(socks code: CURLproxycode) {
        switch code {
        case CURLPX_RESOLVE_HOST: self = .unknownName
        case CURLPX_NO_AUTH, CURLPX_USER_REJECTED, CURLPX_IDENTD, CURLPX_IDENTD_DIFFER:
            self = .loginRequired(status: nil)
        case CURLPX_CLOSED, CURLPX_RECV_ADDRESS, CURLPX_RECV_AUTH, CURLPX_RECV_CONNECT, CURLPX_RECV_REQACK,
            CURLPX_SEND_AUTH, CURLPX_SEND_CONNECT, CURLPX_SEND_REQUEST:
            self = .closed
        case CURLPX_BAD_VERSION, CURLPX_BAD_ADDRESS_TYPE, CURLPX_UNKNOWN_MODE: self = .badAnswer
        default: self = .refused(status: nil)
        }
    }
}

/// OpenSSL's error of a handshake. libcurl has one code for all of them (`CURLE_SSL_CONNECT_ERROR`), and includes
/// OpenSSL's number in its message: `error:` and eight hexadecimal digits, the library in the upper 9 bits and the
/// reason in the lower 23 (err.h).
enum TLSError {
    /// The connection ended.
    case unexpectedEnd
    /// The received bytes are not TLS.
    case notTLS
    /// Any other failure of TLS.
    case other

    private static let mark = "error:"
    private static let digits = 8
    /// `ERR_LIB_SSL`.
    private static let library: UInt32 = 20
    /// `SSL_R_UNEXPECTED_EOF_WHILE_READING`.
    private static let endReason: UInt32 = 294
    /// `SSL_R_HTTP_REQUEST`, `_PACKET_LENGTH_TOO_LONG`, `_UNEXPECTED_MESSAGE`, `_WRONG_VERSION_NUMBER`,
    /// `_RECORD_TOO_SMALL`, `_BAD_RECORD_TYPE`.
    private static let foreignReasons: Set<UInt32> = [156, 198, 244, 267, 298, 443]

    /// - Returns: nil if the message has no number of OpenSSL's TLS, because a system call failed or the connection was
    ///   reset.
    init?(_ message: String) {
        let numbers = message.ranges(of: Self.mark).compactMap { mark in
            UInt32(message[mark.upperBound...].prefix(Self.digits), radix: 16)
        }
        guard let number = numbers.first, number >> 23 == Self.library else { return nil }
        switch number & 0x7f_ffff {
        case Self.endReason: self = .unexpectedEnd
        case let reason where Self.foreignReasons.contains(reason): self = .notTLS
        default: self = .other
        }
    }
}
