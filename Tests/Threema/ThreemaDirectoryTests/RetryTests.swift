import HTTP
import SecureMemory
import Synchronization
import Testing
import Threema
import ThreemaDirectory

/// Which requests are repeated after a temporary failure.
@Suite struct RetryTests {
    private let lossy = LossyDirectory()

    private func client(
        timeout: Duration = .seconds(60), isRetrying: Bool = true, repeatsSilence: Bool = true
    ) throws -> DirectoryClient {
        let pin = try #require(PublicKeyPin(digest: [UInt8](repeating: 1, count: 32)))
        let server = try DirectoryServer(url: "https://directory.example", pins: [pin])
        let lossy = lossy
        let retry = RetryPolicy(total: .seconds(600), longestWait: .seconds(30), repeatsSilence: repeatsSilence) {
            lossy.wait($0)
        }
        return DirectoryClient(
            lossy, server.endpoint(), userAgent: "test/1", timeout: timeout, retry: isRetrying ? retry : nil,
            now: { 0 })
    }

    @Test func `reads are repeated four times`() throws {
        let person = try Person(lossy.directory)
        for lost in 1...4 {
            lossy.lose(lost)
            _ = try client().ask(.fetch(person.id))
            #expect(lossy.count == lost + 1)
            lossy.lose(lost)
            _ = try client().ask(.fetch([person.id]))
            #expect(lossy.count == lost + 1)
        }
        lossy.lose(5)
        #expect(throws: DirectoryFailure.http(.connection(.brokenOff))) { try client().ask(.fetch(person.id)) }
        #expect(lossy.count == 5)
    }

    @Test func `the first phase is repeated, the second is not`() throws {
        let key = ClientKey.random()
        let details = [try #require(CreationDetail("deviceId", "device"))]
        lossy.lose(2)
        _ = try client().ask(.create(key, details: details), key: key)
        #expect(lossy.count == 4)
        let before = lossy.directory.state.withLock { $0.identities.count }
        lossy.lose(1, skipping: 1)
        #expect(throws: DirectoryFailure.http(.connection(.brokenOff))) {
            try client().ask(.create(key, details: details), key: key)
        }
        #expect(lossy.count == 2)
        #expect(lossy.directory.state.withLock { $0.identities.count } == before + 1)
    }

    @Test func `what changes something without a proof is sent once`() throws {
        let person = try Person(lossy.directory)
        let key = Array("correct horse".utf8)
        lossy.lose(1)
        #expect(throws: DirectoryFailure.http(.connection(.brokenOff))) {
            try client().ask(.revoke(person.id, by: RevocationKey(password: key.span)))
        }
        #expect(lossy.count == 1)
        let verification = try #require(VerificationID("verification"))
        lossy.lose(1)
        #expect(throws: DirectoryFailure.http(.connection(.brokenOff))) {
            try client().ask(.verify(verification, code: "123456"))
        }
        #expect(lossy.count == 1)
    }

    @Test func `a directory that is not there now is asked again, one that asks to wait is not`() throws {
        let person = try Person(lossy.directory)
        for status in [408, 502, 503, 504] {
            lossy.lose(0)
            lossy.directory.answer(status, headers: status == 503 ? ["retry-after": "7"] : [:])
            _ = try client().ask(.fetch(person.id))
            #expect(lossy.count == 2)
            if status == 503 { #expect(lossy.waits.last == .seconds(7)) }
        }
        for (status, failure) in [
            (429, DirectoryError.rateLimited(seconds: 20)), (500, .unexpectedStatus(500)),
            (401, .unauthorized(.unknown)),
        ] {
            lossy.lose(0)
            lossy.directory.answer(status, headers: ["retry-after": "20"])
            #expect(throws: DirectoryFailure.service(failure)) { try client().ask(.fetch(person.id)) }
            #expect(lossy.count == 1)
        }
    }

    @Test func `the wait for a directory that asks for minutes is left to the caller`() throws {
        let person = try Person(lossy.directory)
        lossy.lose(0)
        lossy.directory.answer(503, headers: ["retry-after": "31"])
        #expect(throws: DirectoryFailure.service(.unexpectedStatus(503))) { try client().ask(.fetch(person.id)) }
        #expect(lossy.count == 1 && lossy.waits.isEmpty)
    }

    /// This machine's clock says the beginning of 1970.
    @Test(arguments: [
        ["retry-after": "Thu, 01 Jan 1970 00:00:27 GMT"],
        ["retry-after": "Friday, 31-Dec-99 00:00:27 GMT", "date": "Fri, 31 Dec 1999 00:00:00 GMT"],
    ])
    func `a date is waited for, by the directory's clock if it tells it`(_ headers: [String: String]) throws {
        let person = try Person(lossy.directory)
        lossy.lose(0)
        lossy.directory.answer(503, headers: headers)
        _ = try client().ask(.fetch(person.id))
        #expect(lossy.count == 2 && lossy.waits == [.seconds(27)])
        lossy.lose(0)
        lossy.directory.answer(429, headers: headers)
        let failure = DirectoryFailure.service(.rateLimited(seconds: 27))
        #expect(throws: failure) { try client().ask(.fetch(person.id)) }
        #expect(lossy.count == 1)
    }

    @Test func `without a policy nothing is repeated`() throws {
        let person = try Person(lossy.directory)
        lossy.lose(1)
        #expect(throws: DirectoryFailure.http(.connection(.brokenOff))) {
            try client(isRetrying: false).ask(.fetch(person.id))
        }
        #expect(lossy.count == 1)
    }

    @Test func `a directory that is silent is asked again, unless a person waits for the first contact`() throws {
        let person = try Person(lossy.directory)
        let passing: [ConnectionFailure] = [.timeout, .noNameServer, .brokenOff, .proxy(.cutOff)]
        for failure in passing + [.unknownHost, .notConnected, .badAnswer, .proxy(.closed)] {
            lossy.lose(1, by: failure)
            _ = try? client().ask(.fetch(person.id))
            #expect(lossy.count == (passing.contains(failure) ? 2 : 1))
            lossy.lose(1, by: failure)
            _ = try? client(repeatsSilence: false).ask(.fetch(person.id))
            #expect(lossy.count == ([.brokenOff, .proxy(.cutOff)].contains(failure) ? 2 : 1))
        }
    }

    @Test func `a request has the time that it was given`() throws {
        let person = try Person(lossy.directory)
        lossy.lose(0)
        _ = try client(timeout: .seconds(7)).ask(.fetch(person.id))
        _ = try client(timeout: .seconds(7), isRetrying: false).ask(.fetch(person.id))
        #expect(lossy.timeouts == [.seconds(7), .seconds(7)])
    }
}

/// A directory whose answers get lost after it has carried out the requests.
private final class LossyDirectory: HTTPClient {
    private struct State {
        var count = 0
        var lost = 0..<0
        var failure = ConnectionFailure.brokenOff
        var timeouts: [Duration] = []
        var waits: [Duration] = []
    }

    let directory = TestDirectory()
    private let state = Mutex(State())

    /// Begins to count again: of the requests after the first `skipping`, so many answers get lost.
    func lose(_ count: Int, skipping: Int = 0, by failure: ConnectionFailure = .brokenOff) {
        state.withLock { $0 = State(lost: skipping..<skipping + count, failure: failure) }
    }

    func wait(_ time: Duration) { state.withLock { $0.waits.append(time) } }

    /// Number of requests.
    var count: Int { state.withLock { $0.count } }
    var timeouts: [Duration] { state.withLock { $0.timeouts } }
    var waits: [Duration] { state.withLock { $0.waits } }

    func send(
        _ request: HTTPRequest, to endpoint: borrowing HTTPEndpoint, progress: HTTPProgress?
    ) throws(HTTPError) -> HTTPResponse {
        let response = try directory.send(request, to: endpoint, progress: progress)
        let failure = state.withLock { state in
            state.timeouts.append(request.timeouts.total)
            state.count += 1
            return state.lost.contains(state.count - 1) ? state.failure : nil
        }
        if let failure { throw .connection(failure) }
        return response
    }

    func certificate(
        of endpoint: borrowing HTTPEndpoint, isExamined: Bool, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> PresentedCertificate? { nil }

    func chain(
        of endpoint: borrowing HTTPEndpoint, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> [PresentedCertificate] { [] }
}
