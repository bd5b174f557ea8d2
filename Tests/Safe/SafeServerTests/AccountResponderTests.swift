import Encodings
import Foundation
import HTTP
import SafeStore
import SafeWire
import SecureMemory
import Testing
import VectorKit

@testable import SafeServer

/// A server with accounts in a directory.
private final class Accounts: Sendable {
    let place: Neighbourhood
    let responder: AccountResponder

    init(limits: ServerLimits = .standard) throws {
        place = try Neighbourhood()
        let rate = RequestRate(burst: 1_000_000, interval: .nanoseconds(1))
        responder = try AccountResponder(
            at: place.server, limits: limits, keepsPrevious: true, throttle: .wide(), key: Random.secret(32),
            failureRate: rate)
    }

    func edit(_ change: (inout AccountFile) -> Void) throws {
        try ServerDirectory(at: place.server).editLogins { content in
            var file = AccountFile(content)
            change(&file)
            return file.content
        }
    }

    func set(_ name: String, _ password: String, salt: UInt8 = 1, quota: Int? = nil) throws {
        let name = AccountName(name)!
        try ServerDirectory(at: place.server).makeAccount(name)
        try edit { $0.set(Account(name: name, hash: cheapHash(password, salt: salt), quota: quota)) }
    }

    func remove(_ name: String) throws { try edit { $0.remove(AccountName(name)!) } }

    func ask(
        _ method: String, _ target: String, _ login: String?, body: [UInt8]? = nil, at now: ClockReading = reading()
    ) -> HTTPResponse {
        var headers = login.map { [(name: "Authorization", value: $0)] } ?? []
        if let body { headers.append((name: "Content-Length", value: "\(body.count)")) }
        let request = ServerRequest(method, target, headers: headers, client: "192.0.2.1")
        return responder.answer(request, body: body ?? [], at: now)
    }
}

extension HTTPResponse {
    fileprivate func isSame(as other: HTTPResponse) -> Bool {
        status == other.status && headers == other.headers && body == other.body
    }
}

private let path = "/backups/" + String(repeating: "ab", count: 32)

@Suite struct AccountResponderTests {
    @Test(arguments: [false, true])
    func `an upload under way ends with its account, also if it is added again`(_ isDeleted: Bool) throws {
        let server = try Accounts()
        try server.set("alice", "first", salt: 1)
        let login = basic("alice", "first")
        let head = [(name: "Authorization", value: login), (name: "Content-Length", value: "3")]
        let put = ServerRequest("PUT", "/alice" + path, headers: head, client: "192.0.2.1")
        guard case .upload(let upload) = server.responder.examineLogin(put, at: reading()) else {
            Issue.record("the upload was refused")
            return
        }
        try server.remove("alice")
        if isDeleted { try ServerDirectory(at: server.place.server).removeAccount(AccountName("alice")!) { $0 } }
        #expect(upload.finish([1, 2, 3], at: reading()).status == 401)
        // Under the same password, too: it is another account.
        try server.set("alice", "first", salt: 2)
        #expect(upload.finish([1, 2, 3], at: reading()).status == 401)
        #expect(server.ask("GET", "/alice" + path, login).status == 404)
        #expect(server.ask("PUT", "/alice" + path, login, body: [4]).status == 201)
    }

    @Test func `another quota does not end an upload`() throws {
        let server = try Accounts()
        try server.set("alice", "first", salt: 1)
        let head = [(name: "Authorization", value: basic("alice", "first")), (name: "Content-Length", value: "3")]
        let put = ServerRequest("PUT", "/alice" + path, headers: head, client: "192.0.2.1")
        guard case .upload(let upload) = server.responder.examineLogin(put, at: reading()) else {
            Issue.record("the upload was refused")
            return
        }
        try server.set("alice", "first", salt: 1, quota: 3)
        #expect(upload.finish([1, 2, 3], at: reading()).status == 201)
    }

    @Test func `without a right login every request is 401 with the challenge`() throws {
        let server = try Accounts()
        try server.set("alice", "a")
        let logins = [
            nil, "", "Bearer x", "Basic !", basic("alice", "b"), basic("bob", "a"), basic("ALICE", "a"), basic("", ""),
        ]
        for login in logins {
            for target in ["/alice/config", "/alice" + path, "/bob" + path, "/config", path, "/", "*", "/alice/x"] {
                for method in ["GET", "HEAD", "PUT", "DELETE", "MKCOL"] {
                    let answer = server.ask(method, target, login, body: method == "PUT" ? [1] : nil)
                    #expect(answer.status == 401 && answer.body.isEmpty)
                    #expect(answer.headers["www-authenticate"] == "Basic realm=\"Safe\", charset=\"UTF-8\"")
                }
            }
        }
    }

    @Test func `an account reaches its own part, and all others are as if they did not exist`() throws {
        let server = try Accounts()
        try server.set("alice", "a")
        try server.set("bob", "b")
        let (alice, bob) = (basic("alice", "a"), basic("bob", "b"))
        #expect(server.ask("PUT", "/alice" + path, alice, body: [1]).status == 201)
        #expect(server.ask("GET", "/alice" + path, alice).body == [1])
        #expect(server.ask("GET", "/alice/config", alice).body == ServerLimits.standard.config)
        let absent = server.ask("GET", "/nobody" + path, bob)
        for target in ["/alice" + path, "/alice/config", path, "/config", "/bob/../alice" + path, "/alice"] {
            for method in ["GET", "HEAD", "PUT", "DELETE"] {
                #expect(server.ask(method, target, bob, body: method == "PUT" ? [2] : nil).isSame(as: absent))
            }
        }
        #expect(absent.status == 404)
        #expect(server.ask("GET", "/bob" + path, bob).status == 404)
        #expect(server.ask("GET", "/alice" + path, alice).body == [1])
    }

    @Test func `changes of the file count from the next request on`() throws {
        let server = try Accounts()
        #expect(server.ask("GET", "/alice/config", basic("alice", "a")).status == 401)
        try server.set("alice", "a")
        #expect(server.ask("GET", "/alice/config", basic("alice", "a")).status == 200)
        try server.set("alice", "b")
        #expect(server.ask("GET", "/alice/config", basic("alice", "a")).status == 401)
        #expect(server.ask("GET", "/alice/config", basic("alice", "b")).status == 200)
        try server.remove("alice")
        #expect(server.ask("GET", "/alice/config", basic("alice", "b")).status == 401)
        try server.set("alice", "b")
        #expect(server.ask("GET", "/alice/config", basic("alice", "b")).status == 200)
        try FileManager.default.removeItem(atPath: server.place.server + "/logins")
        #expect(server.ask("GET", "/alice/config", basic("alice", "b")).status == 401)
        try FileManager.default.createDirectory(
            atPath: server.place.server + "/logins", withIntermediateDirectories: false)
        let unreadable = server.ask("GET", "/alice/config", basic("alice", "b"))
        #expect(unreadable.status == 503 && unreadable.headers["retry-after"] != nil)
    }

    @Test func `an account that was removed with its backups and added again works`() throws {
        let server = try Accounts()
        let alice = basic("alice", "a")
        try server.set("alice", "a")
        #expect(server.ask("PUT", "/alice" + path, alice, body: [1]).status == 201)
        try server.remove("alice")
        try ServerDirectory(at: server.place.server).removeAccount(AccountName("alice")!) { $0 }
        try server.set("alice", "a")
        #expect(server.ask("GET", "/alice" + path, alice).status == 404)
        #expect(server.ask("PUT", "/alice" + path, alice, body: [2]).status == 201)
    }

    @Test func `an account that was written by hand gets its directory`() throws {
        let server = try Accounts()
        try server.edit { $0.set(Account(name: AccountName("alice")!, hash: cheapHash("a"), quota: nil)) }
        let alice = basic("alice", "a")
        #expect(server.ask("PUT", "/alice" + path, alice, body: [1]).status == 201)
        try server.remove("alice")
        try ServerDirectory(at: server.place.server).removeAccount(AccountName("alice")!) { $0 }
        try server.edit { $0.set(Account(name: AccountName("alice")!, hash: cheapHash("a"), quota: nil)) }
        #expect(server.ask("GET", "/alice" + path, alice).status == 404)
    }

    @Test func `a quota is 507, and may be changed`() throws {
        let server = try Accounts()
        let alice = basic("alice", "a")
        try server.set("alice", "a", quota: 10)
        #expect(server.ask("PUT", "/alice" + path, alice, body: [UInt8](repeating: 1, count: 11)).status == 507)
        #expect(server.ask("GET", "/alice" + path, alice).status == 404)
        #expect(server.ask("PUT", "/alice" + path, alice, body: [UInt8](repeating: 1, count: 10)).status == 201)
        try server.set("alice", "a", quota: 11)
        #expect(server.ask("PUT", "/alice" + path, alice, body: [UInt8](repeating: 1, count: 11)).status == 204)
    }

    @Test func `wrong logins of an address are 429 with the time to wait`() throws {
        let place = try Neighbourhood()
        let responder = try AccountResponder(at: place.server, limits: .standard, throttle: .wide())
        let headers = [(name: "authorization", value: basic("alice", "x"))]
        let answers = (0..<12).map { _ in
            responder.answer(ServerRequest("GET", "/x", headers: headers, client: "192.0.2.9"), at: reading())
        }
        #expect(answers.map(\.status) == [Int](repeating: 401, count: 10) + [429, 429])
        #expect(answers.last?.headers["retry-after"] == "30")
        // Without a login nothing is computed, and nothing is counted.
        let anonymous = responder.answer(ServerRequest("GET", "/x", client: "192.0.2.9"), at: reading())
        #expect(anonymous.status == 401)
    }

    @Test func `the requests of an address count for all accounts together, each once`() throws {
        let place = try Neighbourhood()
        let rate = RequestRate(burst: 4, interval: .seconds(100))
        let throttle = Throttle(clientRate: rate, backupRate: RequestRate(burst: 100, interval: .seconds(1)))
        let responder = try AccountResponder(at: place.server, limits: .standard, throttle: throttle)
        let server = try ServerDirectory(at: place.server)
        try server.makeAccount(AccountName("alice")!)
        try server.editLogins { content in
            var file = AccountFile(content)
            file.set(Account(name: AccountName("alice")!, hash: cheapHash("a"), quota: nil))
            return file.content
        }
        let headers = [(name: "Authorization", value: basic("alice", "a"))]
        let request = ServerRequest("GET", "/alice/config", headers: headers, client: "192.0.2.9")
        #expect((0..<5).map { _ in responder.answer(request, at: reading()).status } == [200, 200, 200, 200, 429])
    }

    @Test func `ten thousand mutated headers let nobody in but the account`() throws {
        let server = try Accounts()
        try server.set("alice", "right")
        try server.set("bob", "other")
        let random = SeededRandom(seed: 11)
        var accepted = 0
        for _ in 0..<10_000 {
            var bytes = Array(basic("alice", "right").utf8)
            for _ in 0...random.number(below: 3) {
                let place = random.number(below: bytes.count)
                switch random.number(below: 5) {
                case 0: bytes[place] ^= UInt8(1 << random.number(below: 8))
                case 1: bytes.remove(at: place)
                case 2: bytes.insert([32, 61, 58, 9, 0, 44][random.number(below: 6)], at: place)
                case 3: bytes += bytes.suffix(place)
                default: bytes = Array("Basic ".utf8) + Data(bytes.suffix(place)).base64EncodedData()
                }
            }
            let header = String(decoding: bytes, as: UTF8.self)
            let answer = server.ask("GET", "/alice/config", header)
            let isRight = header.wholeMatch(of: /[Bb][Aa][Ss][Ii][Cc] +YWxpY2U6cmlnaHQ=/) != nil
            if answer.status == 200 { accepted += 1 }
            #expect(answer.status == (isRight ? 200 : 401), "\(header)")
        }
        #expect(accepted > 0)
    }
}

/// Random sequences of changes and requests, compared with dictionaries.
@Suite struct AccountModelTests {
    private static let names = ["alice", "bob", "carol"]
    private static let ids = (0..<2).map { "/backups/" + String(repeating: "\($0)", count: 64) }

    private struct Model {
        var passwords: [String: String] = [:]
        var contents: [String: [UInt8]] = [:]
    }

    @Test(arguments: 1...(triesAllCases ? 8 : 3) as ClosedRange<UInt64>) func `no account reaches another one's part`(
        _ seed: UInt64
    ) throws {
        let server = try Accounts()
        let random = SeededRandom(seed: seed)
        var model = Model()
        for step in 0..<400 {
            let name = Self.names[random.number(below: 3)]
            if random.number(below: 6) == 0 {
                if random.number(below: 3) == 0 {
                    model.passwords[name] = nil
                    try server.remove(name)
                } else {
                    let password = "p\(random.number(below: 3))"
                    model.passwords[name] = password
                    try server.set(name, password, salt: UInt8(random.number(below: 200)))
                }
                continue
            }
            let user = Self.names[random.number(below: 3)]
            let password = random.number(below: 3) == 0 ? "p\(random.number(below: 3))" : model.passwords[user] ?? "p0"
            let target = "/" + (random.number(below: 3) == 0 ? name : user) + Self.ids[random.number(below: 2)]
            let isRight = model.passwords[user] == password
            let isOwn = target.hasPrefix("/" + user + "/")
            let old = model.contents[target]
            let method = ["GET", "PUT", "DELETE"][random.number(below: 3)]
            let body: [UInt8]? = method == "PUT" ? [UInt8(step % 251), 1] : nil
            let answer = server.ask(method, target, basic(user, password), body: body, at: reading(step))
            let expected: Int
            switch (isRight, isOwn, method) {
            case (false, _, _): expected = 401
            case (true, false, _): expected = 404
            case (_, _, "PUT"):
                expected = old == nil ? 201 : 204
                model.contents[target] = body
            case (_, _, "DELETE"):
                expected = old == nil ? 404 : 204
                model.contents[target] = nil
            default:
                expected = old == nil ? 404 : 200
                #expect(answer.body == old ?? [])
            }
            #expect(answer.status == expected, "step \(step): \(method) \(target) as \(user)")
        }
        for name in Self.names {
            for id in Self.ids {
                let file = server.place.server + "/accounts/" + name + id
                #expect(FileManager.default.contents(atPath: file).map(Array.init) == model.contents["/" + name + id])
            }
        }
        let root = try FileManager.default.contentsOfDirectory(atPath: server.place.server + "/backups")
        #expect(root == [])
    }
}

/// An attacker who knows the login of an account, or a client gone wild.
@Suite struct OverwritingTests {
    private static let length = 300_000
    private let server: Accounts
    private let login = basic("alice", "horse")

    init() throws {
        server = try Accounts()
        try server.set("alice", "horse", quota: Self.length)
    }

    private func put(_ path: String, _ fill: UInt8, at seconds: Int) -> Int {
        let body = [UInt8](repeating: fill, count: Self.length)
        return server.ask("PUT", "/alice" + path, login, body: body, at: reading(seconds)).status
    }

    /// Lengths of all previous backups, and the contents of their first bytes.
    private func previous() throws -> [(count: Int, fill: UInt8)] {
        let directory = server.place.server + "/accounts/alice/previous"
        return try FileManager.default.subpathsOfDirectory(atPath: directory).filter { $0.contains("-") }.map { name in
            let content = try #require(FileManager.default.contents(atPath: directory + "/" + name))
            return (content.count, content[0])
        }
    }

    @Test func `an account that overwrites its backup 78 times in 45 seconds keeps what was there before`() throws {
        #expect(put(path, 0xff, at: -86_400) == 201)
        for number in 0..<78 { #expect(put(path, UInt8(number), at: number * 45 / 78) == 204) }
        let left = try previous()
        // 23.5 MB without a bound.
        #expect(left.reduce(0) { $0 + $1.count } <= 2 * Self.length)
        #expect(left.contains { $0.fill == 0xff })
        try server.set("alice", "horse", quota: 100 * Self.length)
        #expect(put(path, 80, at: 60) == 204)
        for number in 0..<20 { #expect(put(path, UInt8(100 + number), at: 60 + number) == 204) }
        let more = try previous()
        // The newest, and the first of two days.
        #expect(more.count == VersionRule.standardNewest + 2 && more.contains { $0.fill == 0xff })
    }

    @Test func `an account that deletes new backups all the time does not fill the disk either`() throws {
        #expect(put(path, 0xff, at: -86_400) == 201)
        #expect(server.ask("DELETE", "/alice" + path, login, at: reading()).status == 204)
        for number in 0..<40 {
            let other = "/backups/" + String(repeating: "0", count: 62) + "\(number + 10)"
            #expect(put(other, 1, at: number) == 201)
            #expect(server.ask("DELETE", "/alice" + other, login, at: reading(number)).status == 204)
        }
        let left = try previous()
        #expect(left.reduce(0) { $0 + $1.count } <= 2 * Self.length)
        #expect(left.contains { $0.fill == 0xff })
    }
}
