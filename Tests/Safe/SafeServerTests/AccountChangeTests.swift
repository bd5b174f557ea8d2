import Dispatch
import Foundation
import HTTP
import SafeStore
import SafeWire
import Synchronization
import Testing

@testable import SafeServer

private let backup = "/backups/" + String(repeating: "ab", count: 32)
private let alice = AccountName("alice")!

/// Changes of the file of accounts while a request is under way.
@Suite struct AccountChangeTests {
    private let place: Neighbourhood
    private let told: Told
    private let responder: AccountResponder

    private final class Told: Sendable {
        let failures = Mutex<[AnswerFailure]>([])
    }

    init() throws {
        place = try Neighbourhood()
        let told = Told()
        self.told = told
        responder = try AccountResponder(at: place.server, limits: .standard, throttle: .wide()) { failure in
            told.failures.withLock { $0.append(failure) }
        }
        try ServerDirectory(at: place.server).makeAccount(alice)
        try setPassword("first")
    }

    private func setPassword(_ password: String, of name: AccountName = alice) throws {
        try ServerDirectory(at: place.server).editLogins { content in
            var file = AccountFile(content)
            file.set(Account(name: name, hash: cheapHash(password, salt: 1), quota: nil))
            return file.content
        }
    }

    private func makeUnreadable() throws {
        try place.removeLogins()
        try place.replaceLoginsByDirectory()
    }

    private func request(_ method: String, of name: AccountName = alice) -> ServerRequest {
        var headers = [(name: "Authorization", value: basic(name.text, "first"))]
        if method == "PUT" { headers.append((name: "Content-Length", value: "3")) }
        return ServerRequest(method, "/\(name.text)" + backup, headers: headers, client: "192.0.2.1")
    }

    private func ask(_ method: String, of name: AccountName = alice) -> HTTPResponse {
        responder.answer(request(method, of: name), body: method == "PUT" ? [1, 2, 3] : [], at: reading())
    }

    @Test func `a directory that could not be made is made when its account is used again`() throws {
        let bob = AccountName("bob")!
        let obstacle = place.server + "/accounts/bob"
        try Data().write(to: URL(filePath: obstacle))
        try setPassword("first", of: bob)
        #expect(ask("PUT").status == 201)
        #expect(ask("PUT", of: bob).status == 500)
        try FileManager.default.removeItem(atPath: obstacle)
        #expect(ask("PUT", of: bob).status == 201)
        #expect(ask("GET", of: bob).body == [1, 2, 3])
    }

    @Test func `an upload that ends while the file of accounts cannot be read is 503`() throws {
        guard case .upload(let upload) = responder.examineLogin(request("PUT"), at: reading()) else {
            Issue.record("the upload was refused")
            return
        }
        try makeUnreadable()
        let answer = upload.finish([1, 2, 3], at: reading())
        #expect(answer.status == 503 && answer.headers["retry-after"] != nil)
        let failures = told.failures.withLock { $0 }
        guard case .accounts? = failures.first, failures.count == 1 else {
            Issue.record("\(failures)")
            return
        }
        try FileManager.default.removeItem(atPath: place.server + "/logins")
        try setPassword("first")
        #expect(upload.finish([1, 2, 3], at: reading()).status == 201)
    }

    /// The answer to a request that waits for the lock of the directory while `change` is made.
    private func answer(to method: String, during change: () throws -> Void) throws -> HTTPResponse {
        #expect(ask("PUT").status == 201)
        let answer = Mutex<HTTPResponse?>(nil)
        let done = DispatchGroup()
        try holdingBackups {
            let begun = DispatchSemaphore(value: 0)
            DispatchQueue.global().async(group: done) {
                begun.signal()
                let present = ask(method)
                answer.withLock { $0 = present }
            }
            begun.wait()
            usleep(300_000)
            try change()
        }
        #expect(done.wait(timeout: .now() + 20) == .success)
        return try #require(answer.withLock { $0 })
    }

    private func holdingBackups(_ body: () throws -> Void) throws {
        let store = try FolderStore(at: place.server, account: alice)
        let lock = try store.lock(wait: .zero)
        defer { withExtendedLifetime(lock) {} }
        try body()
    }

    @Test(arguments: ["PUT", "DELETE"])
    func `a write that waits while the password changes is 401`(_ method: String) throws {
        let answer = try answer(to: method) { try setPassword("second") }
        #expect(answer.status == 401 && answer.headers["www-authenticate"] != nil)
        // It is no failure of the server.
        #expect(told.failures.withLock { $0 } == [])
        let stored = try FolderStore(at: place.server, account: alice).get(BackupID(hex: String(backup.suffix(64)))!)
        #expect(stored?.bytes == [1, 2, 3])
    }

    @Test(arguments: ["PUT", "DELETE"])
    func `a write that waits while the file of accounts cannot be read is 503`(_ method: String) throws {
        let answer = try answer(to: method) { try makeUnreadable() }
        #expect(answer.status == 503 && answer.headers["retry-after"] != nil)
        #expect(told.failures.withLock { $0.map(\.status) } == [503])
    }
}
