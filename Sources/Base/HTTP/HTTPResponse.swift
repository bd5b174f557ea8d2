/// The answer of a server.
public struct HTTPResponse: Sendable {
    /// The status code, 100 to 599.
    public let status: Int
    /// The content of the answer, in ordinary memory; empty for none.
    public let body: [UInt8]
    /// Values by names in lower case. If a name is repeated, this is its last value.
    public var headers: [String: String]

    private static let maxTagBytes = 256

    /// - Parameter headers: values by names in lower case.
    public init(status: Int, body: [UInt8] = [], headers: [String: String] = [:]) {
        self.status = status
        self.body = body
        self.headers = headers
    }

    /// 200 to 299.
    public var isSuccess: Bool { (200...299).contains(status) }

    /// The header `Location` of a redirect, unchecked; nil for any other status.
    package var location: String? { (300...399).contains(status) ? headers["location"] : nil }

    /// The entity tag with its quotes; nil if it is missing or weak (RFC 9110, 8.8.3).
    package var strongTag: String? {
        let quote = UInt8(ascii: "\"")
        guard let text = headers["etag"] else { return nil }
        let tag = text.utf8
        guard (2...Self.maxTagBytes).contains(tag.count), tag.first == quote, tag.last == quote,
            tag.dropFirst().dropLast().allSatisfy({ (0x21...0x7e).contains($0) && $0 != quote })
        else { return nil }
        return text
    }

    /// The seconds to wait that the server asks for (`Retry-After`), at least 1.
    /// - Parameter now: this machine's clock, in seconds since the epoch.
    /// - Returns: nil if the header is missing or malformed.
    package func secondsToWait(now: Int) -> Int? {
        guard let text = headers["retry-after"] else { return nil }
        if let seconds = Int(text) { return seconds >= 0 ? max(1, seconds) : nil }
        // A date is compared with the server's own clock, if it sends one.
        return HTTPDate.seconds(of: text).map { max(1, $0 - (time ?? now)) }
    }

    /// How far the server's clock is ahead of this machine's; nil if the answer has no date.
    /// - Parameter now: this machine's clock, in seconds since the epoch.
    package func clockLead(now: Int) -> Duration? { time.map { .seconds($0 - now) } }

    /// The server's time, in seconds since the epoch.
    private var time: Int? { headers["date"].flatMap(HTTPDate.seconds) }
}
