internal import Glibc

extension CurlRequest {
    /// What a server answered; nil where it said nothing.
    struct Response {
        var status = 0
        var body: [UInt8] = []
        /// In seconds or as a date, as the server wrote it.
        var retryAfter: String?
        /// Where a redirect leads, as the server wrote it.
        var location: String?
        /// The server's clock, as it wrote it.
        var date: String?
        /// The entity tag, as it wrote it.
        var tag: String?
    }
}

extension CurlRequest.Response {
    /// Seconds after which the server wants to be asked again, at least 1; nil if it does not say, or says nothing that
    /// makes sense.
    var secondsToWait: Int? {
        guard let retryAfter else { return nil }
        if let seconds = Int(retryAfter) { return seconds >= 0 ? max(1, seconds) : nil }
        // A date counts from the server's own clock, if it shows it.
        guard let until = Curl.shared?.seconds(of: retryAfter) else { return nil }
        return max(1, until - (serverTime ?? time(nil)))
    }

    /// The entity tag if it is a strong one (RFC 9110, 8.8.3), quotes included.
    var strongTag: String? {
        let quote = UInt8(ascii: "\"")
        guard let tag = tag?.utf8, (2...Self.maxTagBytes).contains(tag.count), tag.first == quote, tag.last == quote,
            tag.dropFirst().dropLast().allSatisfy({ (0x21...0x7e).contains($0) && $0 != quote })
        else { return nil }
        return self.tag
    }

    private static var maxTagBytes: Int { 256 }

    /// How far the server's clock is ahead of ours; nil where it shows none.
    var clockLead: Duration? { serverTime.map { .seconds($0 - time(nil)) } }

    /// In seconds since the epoch.
    private var serverTime: Int? { date.flatMap { Curl.shared?.seconds(of: $0) } }
}
