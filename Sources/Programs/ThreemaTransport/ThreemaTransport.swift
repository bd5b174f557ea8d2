internal import Glibc
internal import HTTPTransport
public import HTTP
public import ThreemaCalls
public import ThreemaDirectory
public import ThreemaMedia
public import ThreemaWeb

extension DirectoryClient {
    /// A client over libcurl, which is opened by the first request. Each request is sent once.
    /// - Parameters:
    ///   - login: for a directory that a company runs itself; nil for none.
    ///   - userAgent: one line of printable ASCII.
    ///   - timeout: of one request.
    public init(
        _ server: DirectoryServer, login: consuming Login? = nil, userAgent: String, timeout: Duration = .seconds(60)
    ) {
        self.init(
            CurlClient(), server.endpoint(login: login), userAgent: userAgent, timeout: timeout, now: { time(nil) })
    }
}

extension MediaClient {
    /// A client over libcurl, which is opened by the first request. A request that transfers nothing for 30 seconds, or
    /// takes more than 100, fails. A file has another second for each 64 KiB.
    /// - Parameter userAgent: one line of printable ASCII.
    public init(_ server: MediaServer, userAgent: String) {
        self.init(CurlClient(), server, userAgent: userAgent)
    }
}

extension CallClient {
    /// A client over libcurl, which is opened by the first request. Each request has the time that it says.
    /// - Parameter userAgent: one line of printable ASCII.
    public init(_ server: CallServer, userAgent: String) { self.init(CurlClient(), server, userAgent: userAgent) }
}

extension PushRelayClient {
    /// A client over libcurl, which is opened by the first request.
    /// - Parameter userAgent: one line of printable ASCII.
    public init(_ relay: PushRelay, userAgent: String) { self.init(CurlClient(), relay, userAgent: userAgent) }
}
