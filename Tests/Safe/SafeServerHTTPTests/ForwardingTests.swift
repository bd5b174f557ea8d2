import Testing

@testable import SafeServerHTTP

@Suite struct ForwardingTests {
    private let proxy = IPAddress("10.0.0.1")!

    private func client(
        _ values: [String], by header: Forwarding.Header = .xForwardedFor, from peer: IPAddress? = IPAddress("10.0.0.1")
    ) -> String? {
        let forwarding = Forwarding([IPRange("10.0.0.0/8")!, IPRange("2001:db8:f::/48")!], by: header)
        let name = header == .forwarded ? "Forwarded" : "X-Forwarded-For"
        return forwarding.client(peer: peer, headers: values.map { (name: name, value: $0) })?.client
    }

    @Test(arguments: [
        (["192.0.2.1"], "192.0.2.1"), (["192.0.2.1:4711"], "192.0.2.1"), ([" 192.0.2.1\t"], "192.0.2.1"),
        (["1.1.1.1, 192.0.2.1"], "192.0.2.1"), (["1.1.1.1", "192.0.2.1"], "192.0.2.1"),
        (["192.0.2.1, 10.9.9.9, 10.0.0.2"], "192.0.2.1"), (["10.0.0.2"], "10.0.0.2"),
        (["2001:db8::1"], "2001:db8:0:0::/64"), (["[2001:db8::1]:80"], "2001:db8:0:0::/64"),
        (["192.0.2.1, 2001:db8:f::1"], "192.0.2.1"), (["::ffff:192.0.2.1"], "192.0.2.1"),
        // What is not an address hides all before it.
        (["192.0.2.1, unknown"], "10.0.0.1"), (["192.0.2.1, "], "10.0.0.1"), ([""], "10.0.0.1"), ([], "10.0.0.1"),
        (["192.0.2.1, unknown, 10.0.0.7"], "10.0.0.7"), (["192.0.2.256"], "10.0.0.1"),
        (["192.0.2.1:80:90"], "10.0.0.1"),
        (["[2001:db8::1"], "10.0.0.1"), (["192.0.2.1,;drop table"], "10.0.0.1"),
        ([String(repeating: "10.0.0.2,", count: 100_000) + "192.0.2.1"], "192.0.2.1"),
        // There are no quotes that could swallow what the proxy has appended.
        (["\", 192.0.2.7"], "192.0.2.7"), (["a\", 192.0.2.7"], "192.0.2.7"), (["\"1.1.1.1, 192.0.2.7"], "192.0.2.7"),
        (["\"1.1.1.1, 9.9.9.9\", 192.0.2.7"], "192.0.2.7"), (["192.0.2.7, \""], "10.0.0.1"),
    ])
    func `X-Forwarded-For`(_ values: [String], _ expected: String) { #expect(client(values) == expected) }

    @Test(arguments: [
        (["for=192.0.2.1"], "192.0.2.1"), (["For=\"192.0.2.1:80\";proto=https"], "192.0.2.1"),
        (["for=1.1.1.1, proto=http;for=192.0.2.1;by=10.0.0.1"], "192.0.2.1"),
        (["for=\"[2001:db8::1]:4711\""], "2001:db8:0:0::/64"),
        (["for=1.1.1.1;x=\",for=9.9.9.9\", for=192.0.2.1"], "192.0.2.1"),
        (["for=unknown"], "10.0.0.1"), (["for=_hidden"], "10.0.0.1"), (["proto=https"], "10.0.0.1"),
        (["for=192.0.2.1, for=\""], "10.0.0.1"), (["192.0.2.1"], "10.0.0.1"),
        // An open quote swallows nothing that the proxy has appended.
        (["for=\", for=192.0.2.7"], "192.0.2.7"), (["\", for=192.0.2.7"], "192.0.2.7"),
        (["x=\"1, for=\"[2001:db8::1]:4711\""], "2001:db8:0:0::/64"),
        (["x=\"\\\", for=192.0.2.7"], "192.0.2.7"), (["x=\"\\\"\", for=192.0.2.7"], "192.0.2.7"),
        (["for=\"", "for=192.0.2.7"], "192.0.2.7"),
    ])
    func `Forwarded`(_ values: [String], _ expected: String) {
        #expect(client(values, by: .forwarded) == expected)
    }

    @Test func `only proxies are believed`() {
        #expect(client(["192.0.2.1"], from: IPAddress("11.0.0.1")) == "11.0.0.1")
        #expect(client(["192.0.2.1"], from: nil) == nil)
        let forwarding = Forwarding([], trustsUnixSockets: true)
        let headers = [(name: "x-forwarded-for", value: "192.0.2.1"), (name: "forwarded", value: "for=1.1.1.1")]
        #expect(forwarding.client(peer: nil, headers: headers)?.client == "192.0.2.1")
        #expect(forwarding.client(peer: proxy, headers: headers) == proxy)
    }
}

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("192.0.2.0/24", "192.0.2.255", true), ("192.0.2.0/24", "192.0.3.0", false), ("192.0.2.7", "192.0.2.7", true),
        ("192.0.2.7", "192.0.2.6", false), ("0.0.0.0/0", "1.2.3.4", true), ("0.0.0.0/0", "::1", false),
        ("::/0", "1.2.3.4", false), ("2001:db8::/33", "2001:db8:7fff::", true),
        ("2001:db8::/33", "2001:db8:8000::", false),
        ("10.0.0.0/8", "::ffff:10.2.3.4", true), ("128.0.0.0/1", "127.255.255.255", false),
    ])
    func `ranges`(_ range: String, _ address: String, _ isInside: Bool) throws {
        #expect(try #require(IPRange(range)).contains(#require(IPAddress(address))) == isInside)
    }

    @Test(arguments: [
        "", "192.0.2.0/33", "192.0.2.0/-1", "192.0.2.0/", "192.0.2.0/8/8", "::/129", "host", "192.0.2/24", "1/+8",
    ])
    func `not ranges`(_ text: String) { #expect(IPRange(text) == nil) }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.255.0.9", true), ("::1", true), ("::ffff:127.0.0.1", true), ("128.0.0.1", false),
        ("::2", false), ("0.0.0.0", false), ("::", false),
    ])
    func `loopback`(_ text: String, _ isLoopback: Bool) throws {
        #expect(try #require(IPAddress(text)).isLoopback == isLoopback)
    }
}
