internal import CCurl
internal import HTTP

extension CurlRequest.Result {
    /// Why there is no answer.
    enum Failure {
        case known(HTTPError)
        /// The certificate is not accepted; a look at it tells why.
        case certificate
        /// The public key is none of those that are pinned; a look at the certificate tells which it is.
        case pin
    }

    /// Told by libcurl's code; by its words only if the code says too little. Nil if there is an answer.
    var failure: Failure? {
        switch code {
        case CURLE_OK: nil
        case CURLE_COULDNT_RESOLVE_HOST: .known(.connection(.unknownHost))
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: .known(.connection(.proxy))
        case CURLE_COULDNT_CONNECT: .known(.connection(.notConnected))
        case CURLE_OPERATION_TIMEDOUT where !isNameLookedUp: .known(.connection(.noNameServer))
        case CURLE_OPERATION_TIMEDOUT: .known(.connection(.timeout))
        case _ where message.contains("CONNECT"): .known(.connection(.proxy))
        case CURLE_FILESIZE_EXCEEDED: .known(.bodyTooLong)
        // Our own addresses are sound: a redirect's is not.
        case CURLE_URL_MALFORMAT: .known(.badURL)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR: .certificate
        // The proxy said that it leads there, and then spoke itself.
        case CURLE_SSL_CONNECT_ERROR where isTunneled && message.contains("wrong version number"):
            .known(.connection(.proxy))
        // A connection that breaks in the middle of the handshake says nothing of the server's certificate.
        case CURLE_SSL_CONNECT_ERROR
        where !message.contains("SSL routines") || message.contains("unexpected eof"):
            .known(.connection(.brokenOff))
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER: .known(.certificate(.handshake))
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .pin
        case CURLE_SSL_CACERT_BADFILE: .known(.badAuthority)
        case CURLE_OUT_OF_MEMORY where isRefused: .known(.libraryNeedsMemory)
        case _ where isRefused: .known(.libraryMissing(package: Curl.package))
        // A proxy's answer with a NUL.
        case CURLE_BAD_FUNCTION_ARGUMENT: .known(.connection(.proxy))
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL: .known(.connection(.badAnswer))
        // A single header of more than 100 KiB, once the status is known; newer versions have a code for it.
        case CURLE_OUT_OF_MEMORY where response.status > 0: .known(.connection(.badAnswer))
        case CURLcode(rawValue: 100): .known(.connection(.badAnswer))
        default: .known(.connection(.brokenOff))
        }
    }
}
