import Encodings
import HTTP
import SafeServer
import SafeStore
import SafeWire

/// Noon of 2026-11-21 in UTC.
let noon = Timestamp(milliseconds: 1_795_262_400_000)

func reading(_ seconds: Int = 0) -> ClockReading {
    ClockReading(wall: noon + .seconds(seconds), monotonic: .seconds(seconds))
}

extension Throttle {
    /// One that tests of other things do not reach.
    static func wide() -> Throttle {
        let rate = RequestRate(burst: 1_000_000, interval: .nanoseconds(1))
        return Throttle(clientRate: rate, backupRate: rate)
    }
}

extension SafeAnswering {
    /// Waits for the hash of a password.
    func examineLogin(_ request: ServerRequest, at now: ClockReading) -> ExaminedRequest {
        var examined = examine(request, at: now)
        if case .login(let login) = examined { examined = login.finish(at: now) }
        if case .accepted(_, let rest) = examined { return rest }
        return examined
    }
}

/// A server to which requests are made as lines.
final class TestServer<Store: BackupStore & ~Copyable>: Sendable {
    let responder: SafeResponder<Store>

    init(
        _ store: consuming Store, limits: ServerLimits = .standard, below prefix: String = "",
        throttle: Throttle = .wide(), failed: @escaping @Sendable (AnswerFailure) -> Void = { _ in }
    ) {
        responder = SafeResponder(store, limits: limits, below: prefix, throttle: throttle, failed: failed)
    }

    /// - Parameters:
    ///   - headers: lines `NAME: VALUE`.
    ///   - announced: the Content-Length; by default that of the body if there is one.
    func ask(
        _ method: String, _ target: String, _ headers: [String] = [], body: [UInt8]? = nil, announced: Int?,
        from client: String = "192.0.2.1", at now: ClockReading = reading()
    ) -> HTTPResponse {
        let length = announced.map { ["Content-Length: \($0)"] } ?? []
        return responder.answer(request(method, target, headers + length, client), body: body ?? [], at: now)
    }

    func ask(
        _ method: String, _ target: String, _ headers: [String] = [], body: [UInt8]? = nil,
        from client: String = "192.0.2.1", at now: ClockReading = reading()
    ) -> HTTPResponse {
        ask(method, target, headers, body: body, announced: body?.count, from: client, at: now)
    }

    /// Whether the head alone leads to the body being read.
    func isBodyWanted(_ method: String, _ target: String, _ headers: [String]) -> Bool {
        guard case .upload = responder.examine(request(method, target, headers, "192.0.2.1"), at: reading()) else {
            return false
        }
        return true
    }

    private func request(_ method: String, _ target: String, _ lines: [String], _ client: String) -> ServerRequest {
        let headers = lines.map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            let value = line[colon...].dropFirst().drop { $0 == " " }
            return (name: String(line[..<colon]), value: String(value))
        }
        return ServerRequest(method, target, headers: headers, client: client)
    }
}
