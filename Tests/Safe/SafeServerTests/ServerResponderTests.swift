import HTTP
import SafeStore
import SafeWire
import Testing

@testable import SafeServer

private let backup = "/backups/" + String(repeating: "ab", count: 32)

@Suite struct ServerResponderTests {
    private let place: Neighbourhood
    private let responder: ServerResponder

    init() throws {
        place = try Neighbourhood()
        responder = try ServerResponder(at: place.server, limits: .standard, keepsPrevious: true, throttle: .wide())
    }

    private func status(_ method: String, _ target: String, login: String? = nil, body: [UInt8] = []) -> Int {
        var headers = login.map { [(name: "Authorization", value: $0)] } ?? []
        if !body.isEmpty { headers.append((name: "Content-Length", value: "\(body.count)")) }
        let request = ServerRequest(method, target, headers: headers, client: "192.0.2.1")
        return responder.answer(request, body: body, at: reading()).status
    }

    private func setAccounts(_ names: [String], salt: UInt8 = 1) throws {
        let directory = try ServerDirectory(at: place.server)
        try directory.editLogins { _ in
            var file = AccountFile([])
            for name in names {
                file.set(Account(name: AccountName(name)!, hash: cheapHash("secret", salt: salt), quota: nil))
            }
            return file.content
        }
    }

    @Test func `a directory without accounts is open, and asks for a login from the first account on`() throws {
        #expect(try responder.accountNames() == nil)
        #expect(status("PUT", backup, body: [1, 2]) == 201)
        try setAccounts(["alice"])
        #expect(status("GET", backup) == 401)
        #expect(status("GET", "/config") == 401)
        #expect(try responder.accountNames() == [AccountName("alice")!])
    }

    private func get(_ target: String = backup, _ method: String = "GET", accept: String = "*/*") -> ServerRequest {
        ServerRequest(method, target, headers: [(name: "Accept", value: accept)], client: "192.0.2.1")
    }

    @Test func `a download is answered at once, as it would be later`() throws {
        #expect(status("PUT", backup, body: [1, 2]) == 201)
        let later = responder.answer(get(), at: reading())
        let answer = try #require(responder.answerAtOnce(get(), at: reading())).response
        #expect(answer.status == 200 && answer.body == [1, 2] && answer.headers == later.headers)
    }

    @Test func `all other requests are not answered at once`() throws {
        #expect(status("PUT", backup, body: [1, 2]) == 201)
        let missing = "/backups/" + String(repeating: "cd", count: 32)
        let others = [
            get(backup, "HEAD"), get(backup, "PUT"), get(backup, "DELETE"), get(backup, accept: "text/html"),
            get("/config"), get(missing), get(backup + "0"), get("/alice" + backup),
        ]
        for request in others {
            let status = responder.answerAtOnce(request, at: reading())?.response.status
            #expect(status == nil, "\(request.method) \(request.target)")
        }
    }

    @Test func `nothing is answered at once without a login from the first account on`() throws {
        #expect(status("PUT", backup, body: [1, 2]) == 201)
        #expect(responder.answerAtOnce(get(), at: reading())?.response.status == 200)
        try setAccounts(["alice"])
        #expect(responder.answerAtOnce(get(), at: reading())?.response.status == nil)
        #expect(status("GET", "/config") == 401)
        #expect(responder.answerAtOnce(get(), at: reading())?.response.status == nil)
    }

    private static let login = "Basic YWxpY2U6c2VjcmV0"  // alice:secret

    private func atOnce(
        _ login: String..., target: String = "/alice" + backup, client: String = "192.0.2.1",
        at now: ClockReading = reading()
    ) -> ImmediateAnswer? {
        let headers = login.map { (name: "Authorization", value: $0) }
        return responder.answerAtOnce(ServerRequest("GET", target, headers: headers, client: client), at: now)
    }

    @Test func `a download by a login that was right is answered at once, as it would be later`() throws {
        try setAccounts(["alice"])
        #expect(atOnce(Self.login) == nil)
        #expect(status("PUT", "/alice" + backup, login: Self.login, body: [1, 2]) == 201)
        let headers = [(name: "Authorization", value: Self.login)]
        let later = responder.answer(
            ServerRequest("GET", "/alice" + backup, headers: headers, client: "192.0.2.1"), at: reading())
        let answer = try #require(atOnce(Self.login))
        #expect(answer.response.body == [1, 2] && answer.response.headers == later.headers)
        #expect(answer.account == AccountName("alice"))
        // Anything else is judged by `examine`.
        #expect(atOnce() == nil && atOnce(Self.login, Self.login) == nil)
        #expect(atOnce(Self.login + " ") == nil && atOnce("basic YWxpY2U6c2VjcmV0") == nil)
        #expect(atOnce("Basic YWxpY2U6c2VjcmVU") == nil && atOnce(Self.login, client: "192.0.2.2") == nil)
        #expect(atOnce(Self.login, target: backup) == nil && atOnce(Self.login, target: "/bob" + backup) == nil)
        #expect(atOnce(Self.login, target: "/alice/config") == nil)
    }

    @Test func `a login is answered at once as long as it is known`() throws {
        try setAccounts(["alice"])
        #expect(status("PUT", "/alice" + backup, login: Self.login, body: [1, 2]) == 201)
        #expect(atOnce(Self.login, at: reading(599)) != nil)
        #expect(atOnce(Self.login, at: reading(601)) == nil)
    }

    @Test func `a login is answered at once until its account changes`() throws {
        try setAccounts(["alice"])
        let changes: [() throws -> Void] = [
            { try setAccounts(["bob"]) }, { try setAccounts(["alice", "bob"], salt: 2) },
            { try place.removeLogins() },
        ]
        for change in changes {
            #expect([201, 204].contains(status("PUT", "/alice" + backup, login: Self.login, body: [1, 2])))
            #expect(atOnce(Self.login) != nil)
            try change()
            #expect(atOnce(Self.login) == nil)
            // The new file is read.
            _ = try responder.accountNames()
            #expect(atOnce(Self.login) == nil)
            try setAccounts(["alice"])
        }
    }

    @Test func `what is answered at once is counted, and what is left to others is not`() throws {
        let rate = RequestRate(burst: 3, interval: .seconds(60))
        let responder = try ServerResponder(
            at: place.server, limits: .standard, keepsPrevious: true,
            throttle: Throttle(clientRate: rate, backupRate: rate))
        #expect(status("PUT", backup, body: [1, 2]) == 201)
        for _ in 0..<10 { #expect(responder.answerAtOnce(get("/config"), at: reading())?.response.status == nil) }
        for _ in 0..<3 { #expect(responder.answerAtOnce(get(), at: reading())?.response.status == 200) }
        // The refusal is left to others, too: nothing is read for it.
        #expect(responder.answerAtOnce(get(), at: reading())?.response.status == nil)
        #expect(responder.answer(get(), at: reading()).status == 429)
    }

    @Test func `an upload that ends after the first account was added is refused`() throws {
        let head = ServerRequest("PUT", backup, headers: [(name: "Content-Length", value: "2")], client: "192.0.2.1")
        guard case .upload(let upload) = responder.examine(head, at: reading()) else {
            Issue.record("the upload was refused")
            return
        }
        try setAccounts(["alice"])
        let answer = upload.finish([1, 2], at: reading())
        #expect(answer.status == 401 && answer.headers["www-authenticate"] != nil)
        #expect(try ServerDirectory(at: place.server).countWithoutAccount() == 0)
    }

    @Test func `a backup from before the accounts belongs to none of them`() throws {
        #expect(status("PUT", backup, body: [1, 2]) == 201)
        try setAccounts(["alice"])
        let login = "Basic " + "YWxpY2U6c2VjcmV0"  // alice:secret
        #expect(status("GET", "/alice/config", login: login) == 200)
        #expect(status("GET", "/alice" + backup, login: login) == 404)
        #expect(status("GET", backup, login: login) == 404)
    }

    @Test func `a file of accounts that is removed or emptied opens nothing`() throws {
        try setAccounts(["alice"])
        #expect(status("GET", "/config") == 401)
        try setAccounts([])
        #expect(status("GET", "/config") == 401)
        try place.removeLogins()
        #expect(status("GET", "/config") == 401)
        #expect(status("GET", backup) == 401)
    }

    @Test func `a file of accounts that is removed before the first request opens nothing`() throws {
        try setAccounts(["alice"])
        let started = try ServerResponder(at: place.server, limits: .standard, keepsPrevious: true, throttle: .wide())
        try place.removeLogins()
        let request = ServerRequest("GET", "/config", client: "192.0.2.1")
        #expect(started.answer(request, at: reading()).status == 401)
    }

    @Test func `what an open server stores under a high limit it gives back`() throws {
        let limits = ServerLimits(maxBackupBytes: 2 * maxFetchedBytes, retentionDays: 180)
        let server = try ServerResponder(at: place.server, limits: limits, keepsPrevious: true, throttle: .wide())
        let bytes = [UInt8](repeating: 7, count: limits.maxBackupBytes)
        let put = ServerRequest("PUT", backup, client: "192.0.2.1")
        #expect(server.answer(put, body: bytes, at: reading()).status == 201)
        let get = ServerRequest("GET", backup, client: "192.0.2.1")
        #expect(server.answer(get, at: reading()).body == bytes)
    }

    @Test func `a file of accounts that cannot be read is no open server`() throws {
        try place.replaceLoginsByDirectory()
        #expect(status("GET", "/config", login: "Basic YWxpY2U6c2VjcmV0") == 503)
    }
}
