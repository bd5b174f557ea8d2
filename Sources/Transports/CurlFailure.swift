internal import CCurl
internal import HTTP
internal import SafeWire

extension CurlSender {
    /// Why a request was not answered, by libcurl's code; by its words only if the code says too little.
    func error(
        _ outcome: CurlRequest.Outcome, _ url: String, _ limit: Int
    ) throws(SafeExchangeError) -> SafeExchangeError {
        switch outcome.code {
        case CURLE_COULDNT_RESOLVE_HOST: .unavailable(name, .connection(.unknownHost))
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: .unavailable(name, .connection(.proxy))
        case CURLE_COULDNT_CONNECT: .unavailable(name, .connection(.notConnected))
        case CURLE_OPERATION_TIMEDOUT where !outcome.isNameLookedUp: .unavailable(name, .connection(.noNameServer))
        case CURLE_OPERATION_TIMEDOUT: .unavailable(name, .connection(.timeout))
        case _ where outcome.message.contains("CONNECT"): .unavailable(name, .connection(.proxy))
        case CURLE_FILESIZE_EXCEEDED: .tooLarge(limit: limit)
        // Our own addresses are sound: a redirect's is not.
        case CURLE_URL_MALFORMAT: .redirected(name, host: "an invalid address")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR:
            .untrusted(name, try distrust(url, outcome))
        // The proxy said that it leads there, and then spoke itself.
        case CURLE_SSL_CONNECT_ERROR where outcome.isTunneled && outcome.message.contains("wrong version number"):
            .unavailable(name, .connection(.proxy))
        // A connection that breaks in the middle of the handshake is no verdict on the server.
        case CURLE_SSL_CONNECT_ERROR
        where !outcome.message.contains("SSL routines") || outcome.message.contains("unexpected eof"):
            .unavailable(name, .connection(.brokenOff))
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER: .untrusted(name, .handshake)
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            .pinMismatch(name, expected: pins, offered: try shownCertificate(url)?.pin)
        case CURLE_SSL_CACERT_BADFILE: .badAuthority
        case CURLE_OUT_OF_MEMORY where outcome.isRefused: .libraryNeedsMemory
        case _ where outcome.isRefused: .libraryMissing("libcurl4")
        // A proxy's answer with a NUL.
        case CURLE_BAD_FUNCTION_ARGUMENT: .unavailable(name, .connection(.proxy))
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL: .unavailable(name, .connection(.badAnswer))
        // A single header of more than 100 KiB, once the status is known; newer versions have a code for it.
        case CURLE_OUT_OF_MEMORY where outcome.response.status > 0: .unavailable(name, .connection(.badAnswer))
        case CURLcode(rawValue: 100): .unavailable(name, .connection(.badAnswer))
        default: .unavailable(name, .connection(.brokenOff))
        }
    }

    /// Looks at the certificate that was not accepted; nothing is sent.
    private func distrust(
        _ url: String, _ outcome: CurlRequest.Outcome
    ) throws(SafeExchangeError) -> CertificateFailure {
        try shownCertificate(url)?.distrust(outcome.verification) ?? .other(outcome.message)
    }
}
