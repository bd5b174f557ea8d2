#if Server
import Console
import Encodings
import SafeServerHTTP

/// What a server says on stderr while it runs: one line for each event. Ids, logins and addresses are left out;
/// addresses are named only if the operator has asked for them.
struct ServerLog: Sendable {
    let namesRequests: Bool
    let namesClients: Bool

    func write(_ event: ListenerEvent) {
        guard case .answered(let record) = event, namesRequests else { return }
        let client = namesClients ? " \(record.client)" : ""
        say("\(record.method) \(record.subject.rawValue) \(record.status) \(Self.seconds(record.time))\(client)")
    }

    func say(_ words: String) { Output.line("\(Program.name): \(words)") }

    /// `0.012s`.
    private static func seconds(_ time: Duration) -> String {
        let milliseconds = time.milliseconds
        let rest = String(milliseconds % 1000)
        return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest)s"
    }
}
#endif
