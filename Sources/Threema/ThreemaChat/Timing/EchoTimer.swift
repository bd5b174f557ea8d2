internal import ThreemaMessages

/// When a client asks the server for an echo, and when it takes the connection for lost.
///
/// Times are on a clock that never goes back.
struct EchoTimer: Equatable, Sendable {
    /// The time between two requests.
    static let interval = Duration.seconds(60)
    /// How long a response may take.
    static let timeout = Duration.seconds(10)
    /// The idle time-out for which a client asks the server, so that one lost echo does not end the connection.
    static let idleTimeoutSeconds: UInt16 = 120

    /// What to do at a time.
    enum Action: Equatable, Sendable {
        /// Nothing before this time.
        case wait(until: Duration)
        /// Send a request with these 8 bytes.
        case request([UInt8])
        /// Close the connection: no response has come.
        case close
    }

    private var next: Duration
    private var deadline: Duration?
    private var number: UInt64 = 0

    /// - Parameter now: the time of the login.
    init(at now: Duration) { next = now + Self.interval }

    /// The action that is due.
    mutating func due(at now: Duration) -> Action {
        if let deadline { return now >= deadline ? .close : .wait(until: deadline) }
        guard now >= next else { return .wait(until: next) }
        number += 1
        deadline = now + Self.timeout
        next = now + Self.interval
        return .request(body)
    }

    /// Notes a response.
    /// - Returns: false for one with other bytes, also of an earlier request. It changes nothing.
    @discardableResult
    mutating func received(_ response: [UInt8]) -> Bool {
        guard deadline != nil, response == body else { return false }
        deadline = nil
        return true
    }

    private var body: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: number, width: 8)
        return bytes
    }
}
