#if Server
import Console
import Encodings
import SafeServer
import SafeServerHTTP
import SafeStore
import Synchronization

/// What a server says on stderr while it runs: one line for each event, of JSON for a request. Ids and passwords
/// are left out; accounts and addresses are named only if the operator has asked for them. No call blocks but `flush`: lines that
/// nobody reads must not stop the requests.
struct ServerLog: Sendable {
    /// What is said of each request that was answered, beside time, method, subject, status, bytes and duration.
    struct RequestLines {
        /// The address of the client.
        let hasClient: Bool
        /// Who has logged in.
        let hasAccount: Bool
    }

    /// nil if nothing is said of requests.
    private let requests: RequestLines?
    private let failures = Failures()
    private let lines = LineQueue(
        report: { "\(Program.name): warning: \($0 == 1 ? "1 line" : "\($0) lines") of this log had to be dropped" },
        write: { Output.say([$0]) })

    init(requests: RequestLines?) { self.requests = requests }

    func write(_ event: ListenerEvent) {
        switch event {
        case .answered(let record): write(record)
        case .busy(let cause): say(failure: cause.line)
        case .opened, .closed, .ended: break
        }
    }

    /// Says why a request was answered with 500, 503 or 507; once a minute for each cause.
    func write(_ failure: AnswerFailure) { say(failure: failure.line) }

    /// Says why the store is not ready; once a minute for each cause.
    func write(notReady error: StoreError) { say(failure: "warning: not ready: \(error.cause)") }

    private func say(failure line: String) {
        let now = Clocks.now().monotonic
        if let words = failures.lines.withLock({ $0.line(line, at: now) }) { say(words) }
    }

    private func write(_ record: RequestRecord) {
        guard let requests else { return }
        var members = [
            JSONValue.Member("time", .string(WallClock.now().rfc3339)),
            JSONValue.Member("method", .string(record.method)),
            JSONValue.Member("subject", .string(record.subject.rawValue)),
            JSONValue.Member("status", .number(record.status)),
            JSONValue.Member("received_bytes", .number(record.received)),
            JSONValue.Member("sent_bytes", .number(record.sent)),
            JSONValue.Member("milliseconds", .number(record.time.milliseconds)),
        ]
        if requests.hasClient { members.append(JSONValue.Member("client", .string(record.client))) }
        if requests.hasAccount, let account = record.account {
            members.append(JSONValue.Member("account", .string(account.text)))
        }
        lines.add(String(decoding: JSONValue.object(members).encoded, as: UTF8.self))
    }

    func say(_ words: String) { lines.add("\(Program.name): \(words)") }

    /// Waits until all has been written, at most a second.
    func flush() { lines.flush(within: .seconds(1)) }

    private final class Failures: Sendable {
        let lines = Mutex(RepeatedLines())
    }
}
#endif
