#if Server
import Console
import Encodings
import SafeServerHTTP
import SafeStore

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

extension SweepSuspicion {
    /// As the end of a sentence that begins with "nothing was deleted".
    var words: String {
        switch self {
        case .wentBackwards(let time): "the clock has gone back by \(Self.hours(time))"
        case .jumped(let time) where time < .zero: "the clock has lost \(Self.hours(.zero - time))"
        case .jumped(let time): "the clock has gained \(Self.hours(time))"
        case .tooMany(let expired, let total): "\(expired) of \(total) backups would expire at once"
        }
    }

    private static func hours(_ time: Duration) -> String {
        let hours = time.milliseconds / 3_600_000
        return hours < 48 ? "\(hours) hours" : "\(hours / 24) days"
    }
}
#endif
