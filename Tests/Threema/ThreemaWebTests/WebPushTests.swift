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
        for (text, service, token) in [
            ("g:abc:d", .fcm, "abc:d"), ("a:ff00;p;ch.x", .apns, "ff00;p;ch.x"), ("h:1|t", .hms, "1|t"),
            ("a:x", .apns, "x"), ("g:\u{301}", .fcm, "\u{301}"),
        ] as [(String, WebPushToken.Service, String)] {
            let read = WebPushToken(stored: text)
            #expect(read == WebPushToken(service, token) && read?.stored == text)
        }
        // Before there were services, all tokens were of FCM.
        let old = WebPushToken(stored: "abc")
        #expect(old?.service == .fcm && old?.token == "abc" && old?.stored == "abc")
        for text in ["", "g:", "x:y", "ä:y"] { #expect(WebPushToken(stored: text) == nil) }
    }

    @Test func `tokens without the parts for the relay`() throws {
        for token in [
            WebPushToken(.apns, "x"), WebPushToken(.apns, ";p;b"), WebPushToken(.apns, "x;p;b;c"),
            WebPushToken(.hms, "x"), WebPushToken(.hms, "|x"), WebPushToken(.hms, "x|"),
        ] {
            let token = try #require(token)
            #expect(throws: PushRelayError.badToken) {
                try PushRelayRequest(token, session: session, version: 2, timeToLive: 60)
            }
        }
    }

    private func form(_ token: WebPushToken?, affiliation: String? = nil) throws -> String {
        let request = try PushRelayRequest(
            #require(token), session: session, version: 2, affiliation: affiliation, timeToLive: 60)
        return String(decoding: request.http.body ?? [], as: UTF8.self)
    }

    @Test func `the form`() throws {
        let end = "session=\(session.hex)&version=2&ttl=60&collapse_key=\(session.hex.prefix(6))"
        #expect(try form(WebPushToken(.fcm, "a:b+c/")) == "type=fcm&token=a%3Ab%2Bc%2F&" + end)
        #expect(
            try form(WebPushToken(.apns, "ff;p;ch.x"))
                == "type=apns&token=ff&endpoint=p&bundleid=ch.x&" + end)
        #expect(try form(WebPushToken(.hms, "7|t&=%")) == "type=hms&token=t%26%3D%25&appid=7&" + end)
        let message = PushRelayRequest(
            messageTo: try ThreemaID("ECHOECHO"), session: session, version: 2, timeToLive: 60)
        #expect(
            String(decoding: message.http.body ?? [], as: UTF8.self) == "type=threema-gateway&token=ECHOECHO&" + end)
        #expect(
            try form(WebPushToken(.fcm, "t"), affiliation: "ä x").contains("&version=2&affiliation=%C3%A4%20x&ttl=60&"))
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

        func chain(
            of endpoint: borrowing HTTPEndpoint, within timeouts: HTTPTimeouts
        ) throws(HTTPError) -> [PresentedCertificate] { [] }
    }

    @Test func `a request over the port, and each status`() throws {
        let request = try PushRelayRequest(
            #require(WebPushToken(.fcm, "t")), session: session, version: 2, timeToLive: 0)
        let relay = Relay(204)
        let url = "https://push.example.org/push"
        try PushRelayClient(relay, PushRelay(url: url), userAgent: "test/1").send(request)
        let sent = try #require(relay.requests.first)
        #expect(sent.method == .post && sent.body == request.http.body && sent.path.isEmpty)
        #expect(sent.headers == ["Content-Type: application/x-www-form-urlencoded", "User-Agent: test/1"])
        for bad in [
            "http://x/", "https://", "https://a@x/", "https://x/?a", "https://x/#a", "https://x/ä", "https://x/%41",
        ] {
            #expect(throws: PushRelayError.badURL, "\(bad)") { try PushRelay(url: bad) }
        }
        let long = "https://x/" + String(repeating: "a", count: PushRelay.maxURLBytes - 10)
        #expect(try PushRelay(url: long).url == long)
        #expect(throws: PushRelayError.badURL) { try PushRelay(url: long + "a") }
        #expect(relay.urls == ["https://push.example.org/push"])
        for (status, error) in [
            (400, .service(.badRequest)), (500, .service(.relayFailed)), (502, .service(.pushServiceFailed)),
            (200, .service(.unexpectedStatus(200))), (0, .http(.bodyTooLong)),
        ] as [(Int, PushRelayFailure)] {
            #expect(throws: error) {
                try PushRelayClient(Relay(status), PushRelay(url: "https://x/"), userAgent: "test/1").send(request)
            }
        }
    }
}
