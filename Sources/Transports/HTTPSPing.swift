internal import CCurl
internal import HTTP
public import SafeWire
public import SecureMemory

/// A word to a monitoring service, by a GET whose answer does not matter.
public enum HTTPSPing {
    private static let patience = CurlRequest.Patience(connect: .seconds(5), idle: .seconds(5), total: .seconds(10))

    /// Sends it once.
    /// - Parameter url: with a NUL at its end. Who knows it can speak in its owner's name.
    /// - Throws: `.libraryMissing`, `.unavailable`, `.untrusted`; `.unexpectedStatus` for an answer of 300 or more.
    ///   None of them holds the URL.
    public static func send(to url: borrowing SecureBytes, userAgent: String) throws(SafeExchangeError) {
        let name = "it"
        var request = try CurlRequest(.get, secretURL: url, patience: patience, limit: 0)
        request.trust(nil)
        let outcome = request.perform(headers: ["User-Agent: \(userAgent)"])
        switch outcome.code {
        // A body is not wanted, and cut off at once.
        case CURLE_OK, CURLE_FILESIZE_EXCEEDED:
            guard (200...299).contains(outcome.response.status) else {
                throw .unexpectedStatus(name, outcome.response.status)
            }
        case CURLE_PEER_FAILED_VERIFICATION: throw .untrusted(name, .other(outcome.message))
        case CURLE_COULDNT_RESOLVE_HOST: throw .unavailable(name, .connection(.unknownHost))
        case CURLE_COULDNT_CONNECT: throw .unavailable(name, .connection(.notConnected))
        case CURLE_OPERATION_TIMEDOUT: throw .unavailable(name, .connection(.timeout))
        default: throw .unavailable(name, .connection(.brokenOff))
        }
    }
}
