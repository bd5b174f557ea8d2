import HTTP
import Testing

@testable import TextSecure

/// Errors, wrong answers and broken ones to every request over TLS.
@Suite struct WrongAnswerTests {
    private let scene: AnyRequest.Scene
    private var server: LoopbackServer { scene.server }

    init() throws { scene = try AnyRequest.Scene() }

    @Test func `each status`() throws {
        let usual: [Int: ServerError] = [
            302: .unexpectedStatus(302), 400: .unexpectedStatus(400), 401: .unauthorized, 403: .unexpectedStatus(403),
            404: .notFound, 409: .wrongDevices, 410: .staleDevices, 413: .tooManyRequests, 415: .badJSON,
            500: .unexpectedStatus(500),
        ]
        for request in AnyRequest.all {
            for (status, error) in usual.merging(request.meanings, uniquingKeysWith: { $1 }) {
                // A later server says in the body which devices it means; that is not read.
                try server.tell(#"answer \#(request.host) \#(status) {"missingDevices":[2],"extraDevices":[]}"#)
                #expect(throws: error, "\(request.name), \(status)") { try request.send(scene) }
            }
        }
    }

    @Test func `success without JSON`() throws {
        for request in AnyRequest.all {
            for answer in ["200 ", "200 {", "200 []", "200 <html>Bad Gateway</html>", "204 "] {
                try server.tell("answer \(request.host) \(answer)")
                expect(request, answer, request.isRead ? .malformed(field: "") : nil)
            }
            try server.tell("answer \(request.host) 200 {}")
            expect(request, "{}", request.field.map { .malformed(field: $0) })
        }
    }

    /// - Parameter error: nil for success.
    private func expect(_ request: AnyRequest, _ answer: String, _ error: ServerError?) {
        if let error {
            #expect(throws: error, "\(request.name), \(answer)") { try request.send(scene) }
        } else {
            #expect(throws: Never.self, "\(request.name), \(answer)") { try request.send(scene) }
        }
    }

    @Test func `answers that are cut or lost`() throws {
        for request in AnyRequest.all {
            try server.tell("cut \(request.host) 200 {\"id\":\"1\"}")
            #expect(throws: HTTPError.connection(.brokenOff), "\(request.name)") { try request.send(scene) }
            let before = try #require(Int(server.tell("count \(request.host)")))
            try server.tell("lose \(request.host)")
            #expect(throws: HTTPError.connection(.brokenOff), "\(request.name)") { try request.send(scene) }
            #expect(try Int(server.tell("count \(request.host)")) == before + 1, "\(request.name) was sent again")
        }
    }

    @Test func `answers that are too long`() throws {
        for request in AnyRequest.all {
            let error: ServerError? = request.isRead ? .malformed(field: "") : nil
            try server.tell("long \(request.host) \(request.limit)")
            expect(request, "the longest", error)
            try server.tell("long \(request.host) \(request.limit + 1)")
            if request.isPut {
                expect(request, "a longer one", error)
            } else {
                #expect(throws: HTTPError.bodyTooLong, "\(request.name)") { try request.send(scene) }
            }
        }
    }

    @Test func `fields of another form`() throws {
        let answers: [String: [(body: String, field: String)]] = [
            "contacts": [
                (#"{"contacts":{}}"#, "contacts"), (#"{"contacts":[1]}"#, "contacts"),
                (#"{"contacts":[{"token":"atODmoLR2lc-xw"}]}"#, "token"),
                (#"{"contacts":[{"token":"atODmoLR2lc+xw","relay":1}]}"#, "relay"),
                (#"{"contacts":[{"token":"atODmoLR2lc+xw","supportsSms":1}]}"#, "supportsSms"),
            ],
            "send": [(#"{"success":["+1",2]}"#, "success"), (#"{"success":[],"failure":"+1"}"#, "failure")],
            "attachment place": [
                (#"{"id":18446744073709551616,"location":"https://s.example/"}"#, "id"),
                (#"{"id":1,"location":"http://s.example/"}"#, "location"),
            ],
            "attachment": [(#"{"location":"file:///etc/passwd"}"#, "location")],
        ]
        for request in AnyRequest.all {
            for answer in answers[request.name] ?? [] {
                try server.tell("answer api 200 \(answer.body)")
                expect(request, answer.body, .malformed(field: answer.field))
            }
        }
    }
}
