/// What a server answered.
package struct HTTPResponse: Sendable {
    package let status: Int
    package let body: [UInt8]
    /// By their names in lower case; the last one of several with one name.
    package var headers: [String: String]

    private static let maxTagBytes = 256

    package init(status: Int, body: [UInt8] = [], headers: [String: String] = [:]) {
        self.status = status
        self.body = body
        self.headers = headers
    }

    /// 200 to 299.
    package var isSuccess: Bool { (200...299).contains(status) }

    /// Where a redirect leads, as the server wrote it; nil for any other status.
    package var location: String? { (300...399).contains(status) ? headers["location"] : nil }

    /// The entity tag if it is a strong one (RFC 9110, 8.8.3), quotes included.
    package var strongTag: String? {
        let quote = UInt8(ascii: "\"")
        guard let text = headers["etag"] else { return nil }
        let tag = text.utf8
        guard (2...Self.maxTagBytes).contains(tag.count), tag.first == quote, tag.last == quote,
            tag.dropFirst().dropLast().allSatisfy({ (0x21...0x7e).contains($0) && $0 != quote })
        else { return nil }
        return text
    }

    /// Seconds after which the server wants to be asked again (`Retry-After`), at least 1.
    /// - Parameter now: this machine's clock, in seconds since the epoch.
    /// - Returns: nil if the server does not say, or says nothing that makes sense.
    package func secondsToWait(now: Int) -> Int? {
        guard let text = headers["retry-after"] else { return nil }
        if let seconds = Int(text) { return seconds >= 0 ? max(1, seconds) : nil }
        // A date counts from the server's own clock, if it shows it.
        return HTTPDate.seconds(of: text).map { max(1, $0 - (time ?? now)) }
    }

    /// How far the server's clock is ahead of ours; nil if it shows none.
    /// - Parameter now: this machine's clock, in seconds since the epoch.
    package func clockLead(now: Int) -> Duration? { time.map { .seconds($0 - now) } }

    /// The server's clock, in seconds since the epoch.
    private var time: Int? { headers["date"].flatMap(HTTPDate.seconds) }
}
