import HTTP
import Testing

@Suite struct HTTPDateTests {
    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Friday, 01-Jan-69 00:00:00 GMT", 3_124_224_000), ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
    ])
    func `the three forms`(_ text: String, _ seconds: Int) { #expect(HTTPDate.seconds(of: text) == seconds) }

    @Test(arguments: [
        "", "now", "1700000000", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
        "Thu, 30 Feb 2023 00:00:00 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:49:60 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, -6 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 19994 08:49:37 GMT",
        "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT x",
    ])
    func `nothing else`(_ text: String) { #expect(HTTPDate.seconds(of: text) == nil) }

    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        (1_000_000_000, "Sun, 09 Sep 2001 01:46:40 GMT"),
    ])
    func `the form that is written`(_ seconds: Int64, _ text: String) { #expect(HTTPDate.text(seconds) == text) }
}
