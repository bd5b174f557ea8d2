#if Server
import ArgumentParser
import Console
import AtomicFiles
import Encodings
import Glibc
import SafeServerHTTP
import SafeStore
import SafeWire

/// Serves a store.
struct Serve: Verb {
    static let configuration = CommandConfiguration(
        abstract: "Serve the backups of a store until a signal stops it.",
        discussion: """
            For a family: keytool-server serve --store file:///var/lib/keytool-server --tls-self-signed NAME prints \
            what to type on a client. The Threema apps need a certificate of an authority instead: --tls-certificate \
            and --tls-key. Without TLS, --listen has to be a loopback address or a Unix socket. Every option can also \
            be set in the environment: KEYTOOL_SERVER_LISTEN for --listen.
            """)

    @OptionGroup var globals: GlobalOptions
    @OptionGroup var store: StoreOption
    @OptionGroup(title: "A store on an S3 server") var objects: ObjectStoreOptions
    @OptionGroup(title: "A store on an S3 server") var accounts: AccountsFileOption
    @OptionGroup(title: "Configuration of a store that is not a directory") var config: ConfigOptions
    @OptionGroup(title: "TLS") var certificate: CertificateOptions
    @OptionGroup(title: "Listening") var listening: ListenOptions
    @OptionGroup(title: "Limits") var limits: LimitOptions

    @Option(
        help: ArgumentHelp(
            "How long to retain backups that were replaced or deleted; 0s for not at all (default: 7d).",
            valueName: "duration"))
    var keepPrevious: TimeSpan?

    @Option(
        help: ArgumentHelp(
            "How many previous backups of each backup to retain, beside the first and last of each day (default: 5).",
            valueName: "number"))
    var keepVersions: PositiveNumber?

    @Flag(help: "Log each request as a line of JSON: method, kind of target, status, bytes and time.")
    var logRequests = false

    @Flag(help: "Log the address of each request's client, too.")
    var logClients = false

    @Flag(help: "Log the account of each request, too.")
    var logAccounts = false

    @Flag(help: "Name the accounts in the metrics, with the number and the bytes of their backups.")
    var metricsAccounts = false

    private func opened(_ settings: ServeSettings, _ dialog: Dialog) throws -> OpenedStore {
        let throttle = try limits.throttle()
        switch settings.location {
        case .directory(let path):
            try config.refuse()
            try accounts.refuse()
            return try .directory(
                path, keepPrevious: settings.keepPrevious, versions: settings.versions, throttle: throttle,
                log: settings.log)
        case .objects(let address):
            try refuseRetention()
            let connection = try objects.connection(to: address, dialog)
            return try .objects(
                connection, accounts: accounts.path().map { path throws(FileError) in try LoginsFile(at: path) },
                limits: config.limits(), throttle: throttle, log: settings.log)
        case .memory:
            try refuseRetention()
            try accounts.refuse()
            return .memory(limits: try config.limits(), throttle: throttle, log: settings.log)
        }
    }

    /// Refuses what only a store in a directory does.
    private func refuseRetention() throws {
        guard try Setting.value(keepPrevious, "keep-previous") == nil,
            try Setting.value(keepVersions, "keep-versions") == nil
        else {
            throw UsageFailure(
                "--keep-previous and --keep-versions need a store that is a directory",
                hint: "any other store retains no previous backups")
        }
    }

    func run(_ dialog: Dialog) throws {
        // Before the threads of the listener.
        let signals = ServerSignals()
        Heaps.bound()
        let files = OpenFiles.raiseLimit()
        var settings = try ServeSettings(self)
        if let files { settings.lowerConnections(toFiles: files) }
        let store = try opened(settings, dialog)
        try settings.limits.adapt(to: store.limits)
        let metrics = Metrics(start: Clocks.now())
        let server = try RunningServer(
            settings, store, metrics: metrics, log: settings.log, manager: ServiceManager())
        let sizes = settings.metricsAccounts ? store.sizes.map { Gauge(every: .seconds(60), $0) } : nil
        metrics.measure {
            Measurements(
                freeBytes: store.freeBytes.read() ?? nil, certificateEnd: server.certificateEnd,
                accounts: sizes?.read() ?? nil)
        }
        let welcome = Welcome(settings, server, accounts: store.accounts, isNew: store.isNew)
        try dialog.output.done(welcome.lines, json: welcome.json)
        if dialog.output.isQuiet {
            for words in welcome.warnings { settings.log.say("warning: " + words) }
        }
        let sweeping = Sweeping(
            retentionDays: store.limits.retentionDays, keepPrevious: settings.keepPrevious, metrics: metrics,
            log: settings.log, expire: store.expire)
        server.repeatedly(every: Sweeping.interval) {
            server.warnOfTerm()
            sweeping.run()
            server.renew()
        }
        server.run(signals)
        // The threads that sleep are still there, and `exit` would take away under them what libraries have set up.
        _exit(0)
    }
}

extension ServeSettings {
    fileprivate mutating func lowerConnections(toFiles files: Int) {
        let wanted = limits.maxConnections
        guard limits.lowerConnections(toFiles: files) else { return }
        log.say(
            "warning: the system allows \(files) open files: --max-connections is \(limits.maxConnections), not \(wanted)"
        )
    }
}

/// The options of `serve` and their variables, checked.
struct ServeSettings {
    let location: StoreLocation
    let listen: TypedListenAddress
    let metricsListen: TypedListenAddress?
    let source: CertificateSource?
    let forwarding: Forwarding
    var limits: ListenerLimits
    let keepPrevious: Duration
    let versions: VersionRule
    let log: ServerLog
    /// Whether the metrics name the accounts.
    let metricsAccounts: Bool

    init(_ options: Serve) throws {
        location = try options.store.location()
        source = try options.certificate.source(store: location)
        listen = try Setting.value(options.listening.listen, "listen") ?? .standard
        metricsListen = try Setting.value(options.listening.metricsListen, "metrics-listen")
        forwarding = try options.listening.forwarding()
        limits = try options.limits.limits()
        keepPrevious =
            try Setting.value(options.keepPrevious, "keep-previous")?.duration ?? Sweep.defaultKeepPrevious
        let newest = try Setting.value(options.keepVersions, "keep-versions")?.number
        versions = VersionRule(newest: newest ?? VersionRule.standardNewest)
        let isLogging = try Setting.flag(options.logRequests, "log-requests")
        let lines = ServerLog.RequestLines(
            hasClient: try Setting.flag(options.logClients, "log-clients"),
            hasAccount: try Setting.flag(options.logAccounts, "log-accounts"))
        log = ServerLog(requests: isLogging || lines.hasClient || lines.hasAccount ? lines : nil)
        metricsAccounts = try Setting.flag(options.metricsAccounts, "metrics-accounts")
        try requireMetrics()
        guard source != nil || listen.isLocal else {
            throw UsageFailure(
                "without TLS, --listen has to be a loopback address or a Unix socket",
                hint: "use --tls-self-signed NAME, or --tls-certificate FILE --tls-key FILE")
        }
    }

    private func requireMetrics() throws {
        guard metricsAccounts else { return }
        guard metricsListen != nil else { throw UsageFailure("--metrics-accounts requires --metrics-listen") }
        guard case .directory = location else {
            throw UsageFailure(
                "--metrics-accounts needs a store that is a directory",
                hint: "backups in an object store are counted by that store")
        }
    }
}
#endif
