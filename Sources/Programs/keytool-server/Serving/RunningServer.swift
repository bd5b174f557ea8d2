#if Server
import Console
import Encodings
import SafeServer
import SafeServerHTTP

/// A server from its start to its stop.
struct RunningServer {
    /// How long requests that have begun may take when the server stops.
    private static let grace = Duration.seconds(10)

    private let listener: SafeListener
    private let metricsListener: SafeListener?
    private let certificate: ServerCertificate?
    private let source: CertificateSource?
    private let log: ServerLog
    private let manager: ServiceManager
    /// The port; 0 for a Unix socket.
    let port: Int
    /// The port of the metrics; nil without them.
    let metricsPort: Int?

    init(
        _ settings: ServeSettings, _ store: OpenedStore, metrics: Metrics, log: ServerLog,
        manager: ServiceManager
    ) throws {
        self.log = log
        self.manager = manager
        source = settings.source
        certificate = try source.map { source in
            let files = try source.read()
            return try ServerCertificate(chain: files.chain, key: files.key)
        }
        let service = Service(
            store.answering, limits: settings.limits, forwarding: settings.forwarding,
            readiness: store.readiness(log), clock: Clocks.now
        ) { event in
            metrics.count(event)
            log.write(event)
        }
        listener = SafeListener(at: settings.listen.address, service, certificate: certificate)
        port = try Self.start(listener, settings.listen)
        metricsListener = settings.metricsListen.map { address in
            SafeListener(
                at: address.address,
                Service(
                    metrics, limits: .metrics, forwarding: Forwarding(), readiness: nil, clock: Clocks.now,
                    observe: { _ in }),
                certificate: nil)
        }
        do {
            metricsPort = try metricsListener.map { try Self.start($0, settings.metricsListen!) }
        } catch {
            // So that its Unix socket is removed.
            _ = listener.stop(within: .seconds(1))
            throw error
        }
    }

    private static func start(_ listener: SafeListener, _ address: TypedListenAddress) throws -> Int {
        do throws(ListenError) { return try listener.start() } catch {
            throw error.failure(of: address)
        }
    }

    /// When the certificate ends; nil for plain HTTP.
    var certificateEnd: Timestamp? { certificate?.term.end }

    /// The pin of the certificate; nil for plain HTTP.
    var pin: String? { certificate?.pin }

    /// Calls `work` at once and again each time after `interval`.
    func repeatedly(every interval: Duration, _ work: @escaping @Sendable () -> Void) {
        listener.repeatedly(every: interval, work)
    }

    /// Serves until a signal stops it.
    func run(_ signals: consuming ServerSignals) {
        manager.ready()
        while signals.next() == .reload { reload() }
        manager.stopping()
        log.say("stopping")
        let isWhole = listener.stop(within: Self.grace)
        _ = metricsListener?.stop(within: .seconds(1))
        log.say(isWhole ? "stopped" : "warning: stopped; some requests were cut off")
        log.flush()
    }

    /// Renews a self-signed certificate in time. If that fails, the present one stays, and the next day tries again.
    func renew() {
        guard case .selfSigned? = source, let certificate, let source else { return }
        do {
            let files = try source.read(known: certificate.pin)
            try certificate.replace(chain: files.chain, key: files.key)
        } catch {
            log.say("warning: the self-signed certificate was not renewed: \(Failure(error).message)")
        }
    }

    /// Reads the certificate again. If it cannot be used, or is a self-signed one of another key, the present one stays.
    private func reload() {
        manager.reloading()
        defer { manager.ready() }
        guard let certificate, let source else { return log.say("there is no certificate to read again") }
        do {
            let files = try source.read(known: certificate.pin)
            try certificate.replace(chain: files.chain, key: files.key)
            log.say("the certificate was read again")
            warnOfTerm()
        } catch {
            log.say("warning: the present certificate stays in use: \(Failure(error).message)")
        }
    }
}

extension RunningServer {
    /// Says if clients refuse the certificate because it has expired or is not valid yet.
    func warnOfTerm() {
        guard let term = certificate?.term else { return }
        let now = WallClock.now()
        if now > term.end {
            log.say("warning: the certificate expired at \(term.end.rfc3339): clients refuse it")
        } else if now < term.begin {
            log.say("warning: the certificate is not valid before \(term.begin.rfc3339): clients refuse it")
        }
    }
}

extension ListenerLimits {
    /// Of the listener of metrics, which has one client or two.
    fileprivate static var metrics: ListenerLimits {
        var limits = ListenerLimits()
        limits.maxConnections = 16
        limits.workers = 1
        return limits
    }
}
#endif
