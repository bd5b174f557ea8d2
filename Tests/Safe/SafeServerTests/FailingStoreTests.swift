import Encodings
import SafeServer
import SafeStore
import SafeWire
import Synchronization
import Testing

/// A store that fails.
private struct FailingStore: BackupStore {
    let error: StoreError

    func get(_ id: BackupID) throws(StoreError) -> StoredBackup? { throw error }
    func put(
        _ backup: [UInt8], at id: BackupID, if conditions: Preconditions, now: Timestamp
    ) throws(StoreError) -> PutResult { throw error }
    func delete(
        _ id: BackupID, if conditions: Preconditions, now: Timestamp
    ) throws(StoreError) -> DeleteResult { throw error }
    func expire(_ sweep: Sweep) throws(StoreError) -> SweepReport { throw error }
    func versions(of id: BackupID) throws(StoreError) -> [BackupVersion] { throw error }
}

@Suite struct FailingStoreTests {
    @Test(
        arguments: [
            (StoreError.full, 507, nil), (.quota, 507, nil), (.busy, 503, "5"), (.unavailable, 503, "5"),
            (.throttled, 429, "5"), (.failed(reason: "secret"), 500, nil),
        ] as [(StoreError, Int, String?)]) func `a store that fails is told by the status, never by a success`(
            _ error: StoreError, _ status: Int, _ retryAfter: String?
        )
    {
        let told = Mutex<[AnswerFailure]>([])
        let server = TestServer(FailingStore(error: error)) { failure in told.withLock { $0.append(failure) } }
        let path = "/backups/" + String(repeating: "ab", count: 32)
        for method in ["GET", "HEAD", "PUT", "DELETE"] {
            let answer = server.ask(method, path, body: method == "PUT" ? [1] : nil)
            #expect(answer.status == status && answer.headers["retry-after"] == retryAfter && answer.body.isEmpty)
        }
        #expect(server.ask("GET", "/config").status == 200)
        // The operator is told each time, and only then.
        let failure = AnswerFailure.store(error)
        #expect(told.withLock { $0 } == [failure, failure, failure, failure] && failure.status == status)
    }

    @Test func `an account is served below its path only`() {
        let server = TestServer(MemoryStore(), below: "/alice")
        let path = "/backups/" + String(repeating: "ab", count: 32)
        #expect(server.ask("PUT", "/alice" + path, body: [1]).status == 201)
        #expect(server.ask("GET", "/alice/config").status == 200)
        for target in ["/config", path, "/bob" + path, "/alicex" + path, "/alice/alice" + path, "/ALICE" + path] {
            #expect(server.ask("GET", target).status == 404, "\(target)")
            #expect(server.ask("PUT", target, body: [2]).status == 404, "\(target)")
        }
        #expect(server.ask("GET", "/alice/../alice" + path).status == 404)
        #expect(server.ask("GET", "/alice" + path).body == [1])
    }
}
