import Encodings
import Foundation
import HTTP
import SafeStore
import SafeWire
import Synchronization
import Testing

@testable import SafeServer

/// A store that asks whether it may write, as one on an object store does.
private final class AskingStore: MeasuredStore {
    let memory = MemoryStore()
    let authorize: WriteCheck

    init(_ authorize: @escaping WriteCheck) { self.authorize = authorize }

    func get(_ id: BackupID) -> StoredBackup? { memory.get(id) }
    func put(
        _ backup: [UInt8], at id: BackupID, if conditions: Preconditions, now: Timestamp
    ) throws(StoreError) -> PutResult {
        try authorize()
        return memory.put(backup, at: id, if: conditions, now: now)
    }
    func delete(_ id: BackupID, if conditions: Preconditions, now: Timestamp) throws(StoreError) -> DeleteResult {
        try authorize()
        return memory.delete(id, if: conditions, now: now)
    }
    func length(of id: BackupID) -> Int { memory.length(of: id) }
    func lengthOfOthers(than id: BackupID) -> Int { memory.lengthOfOthers(than: id) }
    func expire(_ sweep: Sweep) -> SweepReport { .leftToStore }
    func versions(of id: BackupID) -> [BackupVersion] { [] }
}

/// A server whose accounts are in a file, and their backups in other stores.
private final class FileServer: Sendable {
    let place: Neighbourhood
    /// That of the file of accounts.
    var directory: String { place.path + "/etc" }
    var file: String { directory + "/accounts" }
    let responder: AccountResponder
    let made: Made

    final class Made: Sendable {
        let stores = Mutex<[AccountName: [AskingStore]]>([:])
    }

    init() throws {
        place = try Neighbourhood()
        let directory = place.path + "/etc"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        let made = Made()
        self.made = made
        responder = AccountResponder(
            try LoginsFile(at: directory + "/accounts"), limits: .standard, throttle: .wide()
        ) { account, authorize in
            let store = AskingStore(authorize)
            made.stores.withLock { $0[account, default: []].append(store) }
            return store
        }
    }

    func edit(_ change: (inout AccountFile) -> Void) throws {
        try LoginsFile(at: file).edit { content in
            var file = AccountFile(content)
            change(&file)
            return file.content
        }
    }

    func set(_ name: String, _ password: String, quota: Int? = nil) throws {
        try edit { $0.set(Account(name: AccountName(name)!, hash: cheapHash(password), quota: quota)) }
    }

    func request(_ method: String, _ target: String, _ login: String, length: Int? = nil) -> ServerRequest {
        var headers = [(name: "Authorization", value: login)]
        if let length { headers.append((name: "Content-Length", value: "\(length)")) }
        return ServerRequest(method, target, headers: headers, client: "192.0.2.1")
    }

    func status(_ method: String, _ target: String, _ login: String, body: [UInt8]? = nil) -> Int {
        responder.answer(request(method, target, login, length: body?.count), body: body ?? [], at: reading()).status
    }
}

private let path = "/backups/" + String(repeating: "ab", count: 32)

/// Accounts of servers whose store is not a directory.
@Suite struct ExternalStoresTests {
    @Test func `each account has a store of its own, and nothing is written beside the file`() throws {
        let server = try FileServer()
        #expect(server.status("GET", "/alice/config", basic("alice", "a")) == 401)
        try server.set("alice", "a")
        try server.set("bob", "b")
        let names = try FileManager.default.subpathsOfDirectory(atPath: server.place.path)
        #expect(server.status("PUT", "/alice" + path, basic("alice", "a"), body: [1]) == 201)
        #expect(server.status("GET", "/alice" + path, basic("bob", "b")) == 404)
        #expect(server.status("GET", "/bob" + path, basic("bob", "b")) == 404)
        #expect(server.status("GET", path, basic("alice", "a")) == 404)
        #expect(server.status("GET", "/alice" + path, basic("alice", "b")) == 401)
        #expect(server.status("DELETE", "/alice" + path, basic("alice", "a")) == 204)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: server.place.path) == names)
        #expect(try server.responder.accountNames().map(\.text) == ["alice", "bob"])
    }

    @Test func `an account has its quota, which follows the file and stays when the password changes`() throws {
        let server = try FileServer()
        try server.set("alice", "a", quota: 100)
        try server.set("bob", "b")
        let other = "/backups/" + String(repeating: "cd", count: 32)
        func put(_ path: String, _ count: Int, _ login: String) -> Int {
            server.status("PUT", path, login, body: [UInt8](repeating: 1, count: count))
        }
        #expect(put("/alice" + path, 60, basic("alice", "a")) == 201)
        #expect(put("/alice" + other, 41, basic("alice", "a")) == 507)
        #expect(put("/alice" + other, 40, basic("alice", "a")) == 201)
        #expect(put("/bob" + path, 1000, basic("bob", "b")) == 201)
        try server.set("alice", "a", quota: 10)
        #expect(put("/alice" + path, 61, basic("alice", "a")) == 507)
        #expect(put("/alice" + path, 60, basic("alice", "a")) == 204)
        try server.set("alice", "a")
        #expect(put("/alice" + path, 1000, basic("alice", "a")) == 204)
        try server.set("alice", "another", quota: 10)
        #expect(put("/alice" + path, 11, basic("alice", "another")) == 507)
        #expect(try server.responder.badAccountLines() == [])
    }

    @Test func `a write that waits is asked again, and ends with its account`() throws {
        let server = try FileServer()
        try server.set("alice", "a")
        let put = server.request("PUT", "/alice" + path, basic("alice", "a"), length: 1)
        guard case .upload(let upload) = server.responder.examineLogin(put, at: reading()) else {
            Issue.record("the upload was refused")
            return
        }
        let store = try #require(server.made.stores.withLock { $0[AccountName("alice")!]?.first })
        try store.authorize()
        try server.set("alice", "another")
        #expect(throws: StoreError.forbidden) { try store.authorize() }
        #expect(upload.finish([1], at: reading()).status == 401)
        #expect(server.status("GET", "/alice" + path, basic("alice", "another")) == 404)
    }

    @Test func `the accounts are those of the directory that is at the path now`() throws {
        let server = try FileServer()
        try server.set("alice", "a")
        #expect(server.status("GET", "/alice/config", basic("alice", "a")) == 200)
        try FileManager.default.moveItem(atPath: server.directory, toPath: server.directory + ".old")
        // It may come back.
        #expect(server.status("GET", "/alice/config", basic("alice", "a")) == 503)
        #expect(throws: StoreError.self) { try server.responder.check() }
        let other = server.directory + ".new"
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: server.directory, withDestinationPath: other)
        try server.set("bob", "b")
        #expect(server.status("GET", "/alice/config", basic("alice", "a")) == 401)
        #expect(server.status("GET", "/bob/config", basic("bob", "b")) == 200)
        try server.responder.check()
    }

    @Test func `a file that cannot be read is 503, a sweep is left to the store`() throws {
        let server = try FileServer()
        try server.set("alice", "a")
        try FileManager.default.removeItem(atPath: server.file)
        try FileManager.default.createDirectory(atPath: server.file, withIntermediateDirectories: false)
        #expect(server.status("GET", "/alice" + path, basic("alice", "a")) == 503)
        #expect(throws: (any Error).self) { try server.responder.accountNames() }
        let sweep = Sweep(retentionDays: 180, keepPrevious: .days(7), now: reading(), last: nil)
        #expect(try server.responder.expire(sweep).isLeftToStore)
    }
}
