import Encodings
import HTTP
import SafeServer
import SafeStore
import SafeWire
import Testing

@testable import SafeServerHTTP

@Suite struct RequestRecordTests {
    private static let id = String(repeating: "a1", count: 32)

    @Test(arguments: [
        ("/config", "config"), ("/alice/config", "config"), ("/config?x=/backups/", "config"), ("/health", "health"),
        ("/ready", "ready"),
        ("/backups/\(id)", "backup"), ("/alice/backups/\(id)", "backup"), ("/backups/", "backup"), ("/", "other"),
        ("", "other"), ("/health?", "other"), ("/backups\(id)", "other"), ("*", "other"),
    ])
    func `the subject of a target`(_ target: String, _ subject: String) {
        #expect(RequestRecord.Subject(target).rawValue == subject)
    }

    @Test func `the metrics name neither targets nor clients, and no method of the client's choice`() throws {
        let metrics = Metrics(start: ClockReading(wall: Timestamp(milliseconds: 0), monotonic: .zero))
        for method in ["PUT", "PUT", "evil\"} 1\n"] {
            metrics.count(
                .answered(
                    RequestRecord(
                        method: method, target: "/backups/\(Self.id)", status: 201, time: .milliseconds(30),
                        received: 100, sent: 7, client: "192.0.2.1")))
        }
        metrics.count(.opened)
        metrics.count(.ended(.slow))
        let text = try page(metrics, "GET", "/metrics")
        #expect(text.contains("requests_total{method=\"PUT\",subject=\"backup\",status=\"201\"} 2\n"))
        #expect(text.contains("requests_total{method=\"other\",subject=\"backup\",status=\"201\"} 1\n"))
        #expect(text.contains("request_seconds_bucket{le=\"0.025\"} 0\n") && text.contains("le=\"0.1\"} 3\n"))
        #expect(text.contains("keytool_server_received_bytes_total 300\n") && text.contains("sent_bytes_total 21\n"))
        #expect(text.contains("keytool_server_connections 1\n") && text.contains("{reason=\"slow\"} 1\n"))
        #expect(!text.contains("192.0.2.1") && !text.contains(Self.id) && !text.contains("evil"))
    }

    @Test func `a sweep that is not carried out keeps the time of the last one, or of the start`() throws {
        let metrics = Metrics(start: ClockReading(wall: Timestamp(milliseconds: 364_000), monotonic: .zero))
        metrics.count(nil, at: ClockReading(wall: Timestamp(milliseconds: 400_000), monotonic: .zero))
        #expect(try page(metrics, "GET", "/metrics").contains("last_sweep_timestamp_seconds 364\n"))
        let now = ClockReading(wall: Timestamp(milliseconds: 365 * 86_400_000), monotonic: .zero)
        func report(expired: Int) -> SweepReport {
            Sweep(retentionDays: 10, now: now, last: nil).decide(SweepCounts(total: 9, expired: expired))
        }
        metrics.count(report(expired: 9), at: now)
        #expect(try page(metrics, "GET", "/metrics").contains("sweep_suspicious 1\n"))
        #expect(try page(metrics, "GET", "/metrics").contains("last_sweep_timestamp_seconds 364\n"))
        metrics.count(report(expired: 0), at: now)
        metrics.count(nil, at: now)
        let text = try page(metrics, "GET", "/metrics")
        #expect(text.contains("last_sweep_timestamp_seconds 31536000\n") && text.contains("sweep_suspicious 0\n"))
        #expect(text.contains("sweep_failures_total 2\n") && text.contains("stored_backups 9\n"))
    }

    @Test func `of a store that expires backups by itself, no sweep and no number of backups is told`() throws {
        let now = ClockReading(wall: Timestamp(milliseconds: 364_000), monotonic: .zero)
        let metrics = Metrics(start: now)
        metrics.count(.leftToStore, at: now)
        let text = try page(metrics, "GET", "/metrics")
        #expect(!text.contains("last_sweep_timestamp_seconds") && !text.contains("stored_backups"))
        #expect(text.contains("sweep_suspicious 0\n") && text.contains("expired_backups_total 0\n"))
    }

    private func page(_ answering: some SafeAnswering, _ method: String, _ target: String) throws -> String {
        let now = ClockReading(wall: Timestamp(milliseconds: 0), monotonic: .zero)
        let answer = answering.answer(ServerRequest(method, target, client: "192.0.2.9"), at: now)
        try #require(answer.status == 200)
        return String(decoding: answer.body, as: UTF8.self)
    }
}
