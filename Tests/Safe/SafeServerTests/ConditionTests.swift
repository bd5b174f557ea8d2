import SafeServer
import SafeStore
import Testing

/// `If-Match` and `If-None-Match` as they are sent.
@Suite struct ConditionTests {
    private let server = TestServer(MemoryStore())
    private let path = "/backups/" + String(repeating: "ab", count: 32)
    private let tag: String

    init() { tag = server.ask("PUT", path, body: [1]).headers["etag"] ?? "none" }

    @Test func `a condition that holds lets the write through`() {
        let holding = [
            ["If-Match: " + tag], ["If-Match: *"], ["If-Match: \"x\" ,\t" + tag],
            ["If-Match: \"x\"", "If-Match: " + tag],
            ["If-None-Match: \"x\""], ["If-None-Match: W/\"x\", \"y\""], ["IF-MATCH: " + tag, "If-None-Match: \"x\""],
        ]
        for lines in holding {
            #expect(server.ask("PUT", path, lines, body: [1]).status == 204, "\(lines)")
            #expect(server.ask("DELETE", path, lines).status == 204, "\(lines)")
            #expect(server.ask("PUT", path, ["If-None-Match: *"], body: [1]).status == 201)
        }
    }

    @Test func `a condition that fails is 412 and changes nothing`() {
        let failing = [
            ["If-Match: \"x\""], ["If-Match: W/" + tag], ["If-None-Match: *"], ["If-None-Match: " + tag],
            ["If-None-Match: W/" + tag], ["If-None-Match: \"x\", " + tag], ["If-Match: " + tag, "If-None-Match: *"],
        ]
        for lines in failing {
            #expect(server.ask("PUT", path, lines, body: [2]).status == 412, "\(lines)")
            #expect(server.ask("DELETE", path, lines).status == 412, "\(lines)")
        }
        #expect(server.ask("GET", path).body == [1])
        let absent = "/backups/" + String(repeating: "0", count: 64)
        #expect(server.ask("PUT", absent, ["If-Match: *"], body: [2]).status == 412)
        #expect(server.ask("DELETE", absent, ["If-Match: *"]).status == 404)
        #expect(server.ask("GET", absent).status == 404)
    }

    @Test(arguments: ["", "x", "\"x", "x\"", "\"x\" \"y\"", "\"x\"y", "w/\"x\"", ",", "*, \"x\"", "\"a b\"", "**"])
    func `a malformed condition is 400 and changes nothing`(_ value: String) {
        for name in ["If-Match", "If-None-Match"] {
            #expect(server.ask("PUT", path, [name + ": " + value], body: [2]).status == 400)
            #expect(server.ask("DELETE", path, [name + ": " + value]).status == 400)
        }
        #expect(server.ask("GET", path).body == [1])
    }

    @Test func `too many and too long tags are 400`() {
        let many = (0..<33).map { "\"\($0)\"" }.joined(separator: ",")
        #expect(server.ask("DELETE", path, ["If-Match: " + many]).status == 400)
        let long = "\"" + String(repeating: "x", count: 255) + "\""
        #expect(server.ask("DELETE", path, ["If-Match: " + long]).status == 400)
    }

    @Test func `a GET has no conditions`() {
        #expect(server.ask("GET", path, ["If-None-Match: " + tag]).status == 200)
        #expect(server.ask("HEAD", path, ["If-Match: \"x\""]).status == 200)
    }
}
