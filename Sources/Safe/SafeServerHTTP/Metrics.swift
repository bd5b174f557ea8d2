internal import Encodings
internal import HTTP
package import SafeServer
package import SafeStore
internal import Synchronization

/// Counts what a server does, and answers `GET /metrics` in the text format of Prometheus. No id, password or
/// address is in it, and the names of accounts only if they are among what is measured.
package final class Metrics: SafeAnswering {
    private struct Kind: Hashable {
        let method: String
        let subject: String
        let status: Int

        var labels: String { "method=\"\(method)\",subject=\"\(subject)\",status=\"\(status)\"" }
    }

    private struct State {
        var requests: [Kind: Int] = [:]
        var times = [Int](repeating: 0, count: Metrics.bounds.count + 1)
        var totalTime = Duration.zero
        var received = 0
        var sent = 0
        var opened = 0
        var closed = 0
        var ends: [ConnectionEnd: Int] = [:]
        var expired = 0
        var previous = 0
        var stored: Int?
        var lastSweep: Int64?
        var isSuspicious = false
        var failedSweeps = 0
        var failedLogins = 0
    }

    private let state: Mutex<State>
    private let measure = Mutex<@Sendable () -> Measurements>({ Measurements() })
    private let prefix = "keytool_server_"

    /// The upper bounds of the histogram of request times, in seconds.
    private static let bounds = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60]

    /// Nothing is counted yet. Until a sweep is carried out, that time is `start`, so that it is missed.
    package init(start: ClockReading) { state = Mutex(State(lastSweep: start.wall.milliseconds / 1000)) }

    /// - Parameter measure: called each time that the metrics are asked for, on the thread of the request: it must not
    ///   wait for the store.
    package func measure(by measure: @escaping @Sendable () -> Measurements) {
        self.measure.withLock { $0 = measure }
    }

    /// Counts what a listener tells.
    package func count(_ event: ListenerEvent) {
        state.withLock { state in
            switch event {
            case .opened: state.opened += 1
            case .closed: state.closed += 1
            case .busy: break
            case .ended(let end): state.ends[end, default: 0] += 1
            case .answered(let record):
                let kind = Kind(method: record.method, subject: record.subject.rawValue, status: record.status)
                state.requests[kind, default: 0] += 1
                let seconds = record.time / .seconds(1)
                state.times[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
                state.totalTime += record.time
                state.received += record.received
                state.sent += record.sent
                if record.status == 401, record.hadLogin { state.failedLogins += 1 }
            }
        }
    }

    /// Counts a sweep.
    /// - Parameter report: nil if the store failed.
    package func count(_ report: SweepReport?, at now: ClockReading) {
        state.withLock { state in
            guard let report else {
                state.failedSweeps += 1
                return
            }
            // Of a store that expires backups by itself, nothing is known.
            guard !report.isLeftToStore else { return state.lastSweep = nil }
            state.isSuspicious = report.suspicion != nil
            state.stored = report.counts.total - report.deleted.expired
            guard report.isCarriedOut else { return }
            state.expired += report.deleted.expired
            state.previous += report.deleted.previous
            state.lastSweep = now.wall.milliseconds / 1000
        }
    }

    /// Answers `GET /metrics`; all else is 404.
    package func examine(_ request: ServerRequest, at now: ClockReading) -> ExaminedRequest {
        guard request.target == "/metrics" else {
            return .answer(HTTPResponse(status: 404, headers: ["content-length": "0"]))
        }
        return .answer(.page(text, type: "text/plain; version=0.0.4; charset=utf-8", to: request.method))
    }

    // MARK: The text

    private var text: String {
        let state = state.withLock { $0 }
        let measured = measure.withLock { $0 }()
        let lines = requests(state) + connections(state) + sweeps(state) + measurements(measured)
        return lines.map { $0 + "\n" }.joined()
    }

    private func requests(_ state: State) -> [String] {
        let kinds = state.requests.map { (labels: $0.key.labels, count: $0.value) }.sorted { $0.labels < $1.labels }
        var lines = family(
            "requests_total", "counter", "Requests that were answered.", kinds.map { ("{\($0.labels)}", "\($0.count)") }
        )
        lines += header("request_seconds", "histogram", "The time from a request's head to the end of its answer.")
        var sum = 0
        for (index, count) in state.times.enumerated() {
            sum += count
            let bound = index < Self.bounds.count ? "\(Self.bounds[index])" : "+Inf"
            lines.append("\(prefix)request_seconds_bucket{le=\"\(bound)\"} \(sum)")
        }
        lines.append("\(prefix)request_seconds_sum \(state.totalTime / .seconds(1))")
        lines.append("\(prefix)request_seconds_count \(sum)")
        return lines
            + family("received_bytes_total", "counter", "Bytes of whole uploaded bodies.", [("", "\(state.received)")])
            + family("sent_bytes_total", "counter", "Bytes of the answers' bodies.", [("", "\(state.sent)")])
            + family(
                "failed_logins_total", "counter", "Requests with a login that was wrong.",
                [("", "\(state.failedLogins)")])
    }

    private func connections(_ state: State) -> [String] {
        let ends = ConnectionEnd.allCases.map { ("{reason=\"\($0.rawValue)\"}", "\(state.ends[$0] ?? 0)") }
        return family("connections", "gauge", "Open connections.", [("", "\(state.opened - state.closed)")])
            + family("connections_total", "counter", "Connections that were accepted.", [("", "\(state.opened)")])
            + family("connections_ended_total", "counter", "Connections that the server ended without an answer.", ends)
    }

    private func sweeps(_ state: State) -> [String] {
        var lines = family(
            "expired_backups_total", "counter", "Backups that a sweep has deleted.", [("", "\(state.expired)")])
        lines += family(
            "expired_previous_backups_total", "counter", "Replaced or deleted backups that a sweep has deleted.",
            [("", "\(state.previous)")])
        lines += family(
            "sweep_failures_total", "counter", "Sweeps that the store has not carried out.",
            [("", "\(state.failedSweeps)")])
        lines += family(
            "sweep_suspicious", "gauge",
            "1 if the last sweep has deleted nothing because a clock or the number of expired backups looks wrong.",
            [("", state.isSuspicious ? "1" : "0")])
        if let stored = state.stored {
            lines += family("stored_backups", "gauge", "Backups after the last sweep.", [("", "\(stored)")])
        }
        guard let last = state.lastSweep else { return lines }
        return lines
            + family(
                "last_sweep_timestamp_seconds", "gauge",
                "When a sweep was carried out last, or the server began if none was.", [("", "\(last)")])
    }

    private func measurements(_ measured: Measurements) -> [String] {
        var lines: [String] = []
        if let bytes = measured.freeBytes {
            lines += family("free_bytes", "gauge", "Free bytes of the store's file system.", [("", "\(bytes)")])
        }
        if let end = measured.certificateEnd {
            lines += family(
                "certificate_end_timestamp_seconds", "gauge", "When the certificate expires.",
                [("", "\(end.milliseconds / 1000)")])
        }
        guard let measured = measured.accounts else { return lines }
        let accounts = measured.readable.map { (labels: "{account=\"\($0.name.text)\"}", account: $0) }
        return lines
            + family(
                "account_backups", "gauge", "Stored backups of an account.",
                accounts.map { ($0.labels, "\($0.account.backups)") })
            + family(
                "account_bytes", "gauge", "Bytes of the stored backups of an account.",
                accounts.map { ($0.labels, "\($0.account.bytes)") })
            + family("unreadable_accounts", "gauge", "Accounts that cannot be read.", [("", "\(measured.unreadable)")])
    }

    private func family(_ name: String, _ type: String, _ help: String, _ values: [(String, String)]) -> [String] {
        header(name, type, help) + values.map { "\(prefix)\(name)\($0) \($1)" }
    }

    private func header(_ name: String, _ type: String, _ help: String) -> [String] {
        ["# HELP \(prefix)\(name) \(help)", "# TYPE \(prefix)\(name) \(type)"]
    }
}
