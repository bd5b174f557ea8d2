import HTTP
import SafeStore
import StoreKit
import Testing

@testable import SafeObjectStore

/// A server that fails.
@Suite struct S3FaultTests {
    private let server = S3Double()

    private static let answers: [(Int, String, StoreError)] = [
        (429, "", .throttled), (498, "", .throttled), (503, "SlowDown", .throttled),
        (503, "ServiceUnavailable", .unavailable),
        (500, "InternalError", .unavailable), (502, "", .unavailable), (504, "", .unavailable), (507, "", .full),
        (403, "QuotaExceeded", .full), (400, "RequestTimeout", .unavailable), (409, "OperationAborted", .unavailable),
        (403, "SignatureDoesNotMatch", .failed(reason: "the object store answers 403 SignatureDoesNotMatch")),
        (403, "RequestTimeTooSkewed", .failed(reason: "the object store answers 403 RequestTimeTooSkewed")),
        (301, "PermanentRedirect", .failed(reason: "the object store answers 301 PermanentRedirect")),
        (404, "", .failed(reason: "the object store answers 404 ")),
        (206, "", .failed(reason: "the object store answers 206 ")),
    ]

    @Test(arguments: answers)
    func `an answer other than success is an error of each operation`(
        _ status: Int, _ code: String, _ error: StoreError
    ) throws {
        let store = try server.store()
        _ = try store.put([1], at: id(1), if: .none, now: day(0))
        server.set(.answer(S3Double.error(status, code)), for: .get)
        #expect(throws: error) { try store.get(id(1)) }
        #expect(throws: error) { try store.put([2], at: id(1), if: Preconditions(match: .any), now: day(0)) }
        #expect(throws: error) { try store.delete(id(1), if: .none, now: day(0)) }
        server.set(nil, for: .get)
        if status != 206 {
            server.set(.answer(S3Double.error(status, code)), for: .put)
            #expect(throws: error) { try store.put([2], at: id(1), if: .none, now: day(0)) }
            #expect(throws: error) { try store.delete(id(1), if: .none, now: day(0)) }
        }
        #expect(try store.get(id(1))?.bytes == [1])
    }

    @Test func `a HEAD that fails is an error of a put without conditions, and nothing is written`() throws {
        let store = try server.store()
        let answers: [(HTTPResponse, StoreError)] = [
            (HTTPResponse(status: 503), .unavailable), (HTTPResponse(status: 498), .throttled),
            (HTTPResponse(status: 403), .failed(reason: "the object store answers 403 ")),
            (HTTPResponse(status: 200), .failed(reason: "the object store does not tell a length")),
            (
                HTTPResponse(status: 200, headers: ["content-length": "x"]),
                .failed(reason: "the object store does not tell a length")
            ),
            (
                HTTPResponse(status: 200, headers: ["content-length": "-1"]),
                .failed(reason: "the object store does not tell a length")
            ),
            (
                HTTPResponse(status: 200, headers: ["content-length": String(Int.max)]),
                .failed(reason: "the object store does not tell a length")
            ),
        ]
        for (answer, error) in answers {
            server.set(.answer(answer), for: .head)
            #expect(throws: error) { try store.put([1], at: id(1), if: .none, now: day(0)) }
        }
        #expect(server.objects.isEmpty)
    }

    @Test func `an answer that may have been cut off is no backup, and no deleted one`() throws {
        let store = try server.store()
        _ = try store.put([1, 2], at: id(1), if: .none, now: day(0))
        let answers = [
            HTTPResponse(status: 200), HTTPResponse(status: 200, body: [1]),
            HTTPResponse(status: 200, body: [1], headers: ["content-length": "2"]),
            HTTPResponse(status: 200, body: [1], headers: ["content-length": "x"]),
            HTTPResponse(status: 200, body: [1], headers: ["transfer-encoding": "identity"]),
        ]
        for answer in answers {
            server.set(.answer(answer), for: .get)
            #expect(throws: StoreError.unavailable) { try store.get(id(1)) }
            let absent = Preconditions(noneMatch: .any)
            #expect(throws: StoreError.unavailable) { try store.put([3], at: id(1), if: absent, now: day(0)) }
            #expect(throws: StoreError.unavailable) { try store.delete(id(1), if: .none, now: day(0)) }
        }
        // The HTTP client waits for the last chunk.
        let chunked = HTTPResponse(status: 200, body: [1, 2], headers: ["transfer-encoding": "Chunked"])
        server.set(.answer(chunked), for: .get)
        #expect(try store.get(id(1))?.bytes == [1, 2])
        server.set(nil, for: .get)
        #expect(try store.get(id(1))?.bytes == [1, 2])
    }

    private static let failures: [(HTTPError, StoreError)] = [
        (.connection(.timeout), .unavailable), (.connection(.notConnected), .unavailable),
        (.connection(.brokenOff), .unavailable), (.connection(.unknownHost), .unavailable),
        (.libraryNeedsMemory, .unavailable),
        (.certificate(.selfSigned), .failed(reason: "the certificate of the object store is not trusted")),
        (
            .certificate(.noForwardSecrecy),
            .failed(reason: "the object store offers neither TLS 1.3 nor ECDHE with AES-GCM or ChaCha20-Poly1305")
        ),
        (.badAuthority, .failed(reason: "the file of authorities contains no certificate")),
    ]

    @Test(arguments: failures)
    func `without an answer nothing succeeds`(_ failure: HTTPError, _ error: StoreError) throws {
        let store = try server.store()
        _ = try store.put([1], at: id(1), if: .none, now: day(0))
        server.set(.lost(failure), for: .put)
        #expect(throws: error) { try store.put([2], at: id(1), if: .none, now: day(0)) }
        #expect(throws: error) { try store.delete(id(1), if: .none, now: day(0)) }
        #expect(try store.get(id(1))?.bytes == [1])
        // Written, but nobody knows.
        server.set(.late(failure), for: .put)
        #expect(throws: error) { try store.put([2], at: id(1), if: .none, now: day(0)) }
        #expect(try store.get(id(1))?.bytes == [2])
        server.set(.lost(failure), for: .get)
        #expect(throws: error) { try store.get(id(1)) }
    }

    @Test(
        arguments: [
            (
                "<?xml version='1.0' encoding='UTF-8'?>\n<Error><Code>NoSuchKey</Code><Message>a</Message></Error>",
                "NoSuchKey"
            ),
            ("<Error xmlns='http://s3.amazonaws.com/doc/2006-03-01/'><Code>SlowDown</Code></Error>", "SlowDown"),
            // What follows the code does not matter.
            ("<Error><Code>A</Code><Code>B</Code></Error>", "A"), ("<Error><Code>A</Code><!-- cut", "A"),
            // A code in another element is not the error's.
            ("<Error><Details><Code>NoSuchKey</Code></Details><Code>AccessDenied</Code></Error>", "AccessDenied"),
            ("<Error><Message><Code>NoSuchKey</Code></Message></Error>", nil), ("<Code>A</Code>", nil),
            ("<html><Code>A</Code></html>", nil), ("<Error><!-- <Code>A</Code> --></Error>", nil),
            ("<Error><Code></Code></Error>", nil), ("<Error><Code/></Error>", nil), ("<Error/>", nil),
            ("<Error><Code>No Such</Code></Error>", nil), ("<Error><Code>Späť</Code></Error>", nil), ("", nil),
            ("<Error><Code>\(String(repeating: "a", count: 65))</Code></Error>", nil), ("<Error><Code>SlowDown", nil),
            ("<Error>" + String(repeating: "<a/>", count: 65) + "<Code>A</Code></Error>", nil),
            ("\u{0}<Error><Code>A</Code></Error>", nil),
        ] as [(String, String?)])
    func `codes of errors`(_ body: String, _ code: String?) {
        #expect(HTTPResponse(status: 400, body: Array(body.utf8)).errorCode == code)
        #expect(HTTPResponse(status: 200, body: Array(body.utf8)).errorCode == nil)
    }
}
