#if Server
import Console
import Encodings
import SafeServerHTTP

/// What a server says on stderr while it runs: one line for each event. Ids, logins and addresses are left out;
/// addresses are named only if the operator has asked for them. No call blocks but `flush`: lines that nobody reads
/// must not stop the requests.
struct ServerLog: Sendable {
    let namesRequests: Bool
    let namesClients: Bool
    private let lines = LineQueue(
        report: { "\(Program.name): warning: \($0 == 1 ? "1 line" : "\($0) lines") of this log had to be dropped" },
        write: { Output.line($0) })

    init(namesRequests: Bool, namesClients: Bool) {
        self.namesRequests = namesRequests
        self.namesClients = namesClients
    }

    func write(_ event: ListenerEvent) {
        guard case .answered(let record) = event, namesRequests else { return }
        let client = namesClients ? " \(record.client)" : ""
        say("\(record.method) \(record.subject.rawValue) \(record.status) \(Self.seconds(record.time))\(client)")
    }

    func say(_ words: String) { lines.add("\(Program.name): \(words)") }

    /// Waits until all has been written, at most a second.
    func flush() { lines.flush(within: .seconds(1)) }

    /// `0.012s`.
    private static func seconds(_ time: Duration) -> String {
        let milliseconds = time.milliseconds
        let rest = String(milliseconds % 1000)
        return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest)s"
    }
}
#endif
