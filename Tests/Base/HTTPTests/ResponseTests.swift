import HTTP
import Testing

/// What an answer's headers mean.
@Suite struct ResponseTests {
    @Test(arguments: [#""""#, #""a""#, #""!#~""#, "\"" + String(repeating: "x", count: 254) + "\""])
    func `a strong tag is taken as it is`(_ tag: String) {
        #expect(HTTPResponse(status: 200, headers: ["etag": tag]).strongTag == tag)
    }

    @Test(arguments: [
        "", "\"", "a", #"W/"a""#, #"w/"a""#, #""a"b""#, #""a b""#, "\"a\tb\"", "\"a\u{7f}\"", "\"\u{e9}\"", #""a"#,
        #"a""#, #" "a""#, "\"" + String(repeating: "x", count: 255) + "\"",
    ])
    func `a weak tag, or none, is not taken`(_ tag: String) {
        #expect(HTTPResponse(status: 200, headers: ["etag": tag]).strongTag == nil)
    }

    @Test func `without a tag there is none`() {
        #expect(HTTPResponse(status: 200).strongTag == nil)
    }

    @Test(arguments: [
        ("0", 1), ("1", 1), ("17", 17), ("9223372036854775807", Int.max), ("Thu, 01 Jan 1970 00:00:00 GMT", 1),
        ("Fri, 31 Dec 1999 00:00:03 GMT", 3), ("Thu, 30 Dec 1999 23:59:59 GMT", 1),
    ])
    func `a wait is at least a second, and a date counts from the server's`(_ text: String, _ seconds: Int) {
        let response = HTTPResponse(
            status: 503, headers: ["retry-after": text, "date": "Fri, 31 Dec 1999 00:00:00 GMT"])
        #expect(response.secondsToWait(now: 0) == seconds)
    }

    /// The beginning of 1999-12-31.
    private static let now = 946_598_400

    @Test(arguments: [
        "Fri, 31 Dec 1999 00:00:03 GMT", "Friday, 31-Dec-99 00:00:03 GMT", "Fri Dec 31 00:00:03 1999",
    ])
    func `without the server's clock, a date counts from this machine's`(_ text: String) {
        for others in [[:], ["date": "now"], ["date": ""]] {
            let response = HTTPResponse(status: 503, headers: others.merging(["retry-after": text]) { $1 })
            #expect(response.secondsToWait(now: Self.now) == 3)
            #expect(response.secondsToWait(now: Self.now + 60) == 1)
        }
    }

    @Test(arguments: ["-1", "", "soon", "9223372036854775808"])
    func `what makes no sense asks for nothing`(_ text: String) {
        #expect(HTTPResponse(status: 503, headers: ["retry-after": text]).secondsToWait(now: 0) == nil)
    }
}
