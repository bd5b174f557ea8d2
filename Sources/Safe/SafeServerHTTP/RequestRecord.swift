package import SafeStore

/// What can be told of a request that was answered. It names no id.
package struct RequestRecord: Sendable {
    /// What a request is for.
    package enum Subject: String, CaseIterable, Sendable {
        case config, backup, health, ready, other

        init(_ target: String) {
            let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
            let words = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            if target == HealthAnswer.path {
                self = .health
            } else if target == ReadinessState.path {
                self = .ready
            } else if words.last.map({ $0.elementsEqual("config".utf8) }) == true {
                self = .config
            } else if words.contains(where: { $0.elementsEqual("backups".utf8) }) {
                self = .backup
            } else {
                self = .other
            }
        }
    }

    /// The methods that are told by name; all others are `other`.
    package static let methods = ["GET", "HEAD", "PUT", "DELETE"]

    /// One of `methods`, or `other`.
    package let method: String
    /// What it was for.
    package let subject: Subject
    /// The status of the answer.
    package let status: Int
    /// From its head to the end of the answer.
    package let time: Duration
    /// Bytes of its body that were read.
    package let received: Int
    /// Bytes of the answer's body.
    package let sent: Int
    /// What its client is counted by.
    package let client: String
    /// Who has logged in; nil for nobody, and for a login that was wrong.
    package let account: AccountName?
    /// Whether it had a login, right or wrong.
    package let hadLogin: Bool

    init(
        method: String, target: String, status: Int, time: Duration, received: Int, sent: Int, client: String,
        account: AccountName? = nil, hadLogin: Bool = false
    ) {
        self.method = Self.methods.contains(method) ? method : "other"
        subject = Subject(target)
        self.status = status
        self.time = time
        self.received = received
        self.sent = sent
        self.client = client
        self.account = account
        self.hadLogin = hadLogin
    }
}

/// Why a connection was closed, or not accepted, without the answer to a whole request.
package enum ConnectionEnd: String, CaseIterable, Sendable {
    /// The client has too many connections.
    case tooMany = "too_many"
    /// It had no request, and another connection has taken its place.
    case displaced
    /// The handshake failed.
    case handshake
    /// A handshake, a head or a body took too long, or the client did not take the answer.
    case slow
    /// Nothing more came after an answer.
    case idle
    /// The request was not HTTP, or could mean two things.
    case malformed
}

/// What the listener has no more of, so that a request is answered with 503, or 408.
package enum BusyListener: Equatable, Sendable {
    /// Threads that may block.
    case threads
    /// Memory for bodies.
    case memory
    /// Memory for uploads: the slowest one of those that hold most was answered with 408.
    case slowUpload
}

/// What a listener tells.
package enum ListenerEvent: Sendable {
    /// A connection was accepted.
    case opened
    /// A connection was closed.
    case closed
    /// A request was answered.
    case answered(RequestRecord)
    /// A request is answered with 503, or 408. `.answered` follows.
    case busy(BusyListener)
    /// A connection was closed.
    case ended(ConnectionEnd)
}
