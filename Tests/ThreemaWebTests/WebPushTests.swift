import HTTP
import SecureMemory
import Testing
import Threema
import VectorKit

@testable import ThreemaWeb

/// How an app is woken.
@Suite struct WebPushTests {
    private let session = PushSession(initiatorKey: Scene.initiatorKey.publicKey)

    @Test(arguments: try Vector.all(in: .threemaClient, op: "web-push-hash"))
    func `a session is that of its vector`(_ vector: Vector) throws {
        let session = PushSession(initiatorKey: try #require(PublicKey(vector.inputs.bytes("initiatorPublicKey"))))
        #expect(session.hex == (try vector.expected.string("session")))
        #expect(session.collapseKey == (try vector.expected.string("collapseKey")))
    }

    @Test func `push tokens as a web client stores them`() {
        for (text, token) in [
            ("g:abc:d", .fcm("abc:d")), ("a:ff00;p;ch.x", .apns(token: "ff00", endpoint: "p", bundleID: "ch.x")),
            ("h:1|t", .hms(appID: "1", token: "t")),
        ] as [(String, WebPushToken)] {
            #expect(WebPushToken(stored: text) == token && token.stored == text)
        }
        // Before there were kinds, all tokens were of FCM.
        #expect(WebPushToken(stored: "abc") == .fcm("abc"))
        for text in ["", "g:", "a:x", "a:;p;b", "a:x;p;b;c", "h:x", "h:|x", "x:y", "g:a b", "g:ä"] {
            #expect(WebPushToken(stored: text) == nil)
        }
    }

    private func form(_ token: WebPushToken, affiliation: String? = nil) -> String {
        let request = PushRelayRequest(token, session: session, version: 2, affiliation: affiliation, timeToLive: 60)
        return String(decoding: request.body, as: UTF8.self)
    }

    @Test func `the form`() {
        let end = "session=\(session.hex)&version=2&ttl=60&collapse_key=\(session.hex.prefix(6))"
        #expect(form(.fcm("a:b+c/")) == "type=fcm&token=a%3Ab%2Bc%2F&" + end)
        #expect(
            form(.apns(token: "ff", endpoint: "p", bundleID: "ch.x"))
                == "type=apns&token=ff&endpoint=p&bundleid=ch.x&" + end)
        #expect(form(.hms(appID: "7", token: "t&=%")) == "type=hms&token=t%26%3D%25&appid=7&" + end)
        #expect(form(.fcm("t"), affiliation: "ä x").contains("&version=2&affiliation=%C3%A4%20x&ttl=60&"))
    }

    /// Answers with a status, and remembers the request.
    private final class Relay: HTTPClient, @unchecked Sendable {
        let status: Int
        private(set) var requests: [HTTPRequest] = []
        private(set) var urls: [String] = []

        init(_ status: Int) { self.status = status }

        func send(
            _ request: HTTPRequest, to endpoint: borrowing HTTPEndpoint, progress: HTTPProgress?
        ) throws(HTTPError) -> HTTPResponse {
            guard status > 0 else { throw .bodyTooLong }
            requests.append(request)
            urls.append(endpoint.url.revealText())
            return HTTPResponse(status: status)
        }

        func certificate(
            of endpoint: borrowing HTTPEndpoint, isExamined: Bool, within timeouts: HTTPTimeouts
        ) throws(HTTPError) -> PresentedCertificate? { nil }
    }

    @Test func `a request over the port, and each status`() throws {
        let request = PushRelayRequest(.fcm("t"), session: session, version: 2, timeToLive: 0)
        let relay = Relay(204)
        try PushRelayClient(relay, url: "https://push.example.org/push").send(request)
        let sent = try #require(relay.requests.first)
        #expect(sent.method == .post && sent.body == request.body && sent.path.isEmpty)
        #expect(sent.headers == ["Content-Type: application/x-www-form-urlencoded"])
        #expect(relay.urls == ["https://push.example.org/push"])
        for (status, error) in [
            (400, .relay(.badRequest)), (500, .relay(.relayFailed)), (502, .relay(.pushServiceFailed)),
            (200, .relay(.unexpectedStatus(200))), (0, .http(.bodyTooLong)),
        ] as [(Int, PushRelayFailure)] {
            #expect(throws: error) { try PushRelayClient(Relay(status), url: "https://x/").send(request) }
        }
    }
}
