#if Server
import ArgumentParser
import Console
import SafeServer
import SafeServerHTTP
import SafeWire

/// The options about what clients may take.
struct LimitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Requests a minute of one client; as many may come at once (default: 240).", valueName: "number"))
    var clientRate: PositiveNumber?

    @Option(
        help: ArgumentHelp(
            "Requests a minute for one backup; twice as many may come at once (default: 30).", valueName: "number"))
    var backupRate: PositiveNumber?

    @Option(help: ArgumentHelp("Most open connections (default: 512).", valueName: "number"))
    var maxConnections: PositiveNumber?

    @Option(help: ArgumentHelp("Most open connections of one client (default: 64).", valueName: "number"))
    var maxConnectionsPerClient: PositiveNumber?

    @Option(help: ArgumentHelp("Most MiB of uploads in memory at once (default: 64).", valueName: "number"))
    var maxBodyMemory: PositiveNumber?

    @Option(
        help: ArgumentHelp("Time for a handshake, and then for the first head (default: 15s).", valueName: "duration"))
    var headTimeout: TimeSpan?

    @Option(
        help: ArgumentHelp(
            "Time for a body or an answer, beside a second for each 8 KiB (default: 30s).", valueName: "duration"))
    var bodyTimeout: TimeSpan?

    @Option(
        help: ArgumentHelp(
            "Close a connection after this time without a request (default: 60s).", valueName: "duration"))
    var idleTimeout: TimeSpan?

    @Option(
        help: ArgumentHelp("Threads that read backups, and as many that write them (default: 16).", valueName: "number")
    )
    var workers: PositiveNumber?

    /// What clients may ask.
    func throttle() throws -> Throttle {
        let clients = try Setting.value(clientRate, "client-rate")?.number
        let backups = try Setting.value(backupRate, "backup-rate")?.number
        return Throttle(
            clientRate: clients.map { RequestRate(burst: $0, interval: .seconds(60) / $0) }
                ?? Throttle.standardClientRate,
            backupRate: backups.map { RequestRate(burst: 2 * $0, interval: .seconds(60) / $0) }
                ?? Throttle.standardBackupRate)
    }

    /// What connections may take.
    func limits() throws -> ListenerLimits {
        var limits = ListenerLimits()
        func set(_ path: WritableKeyPath<ListenerLimits, Int>, _ given: PositiveNumber?, _ name: String, unit: Int = 1)
            throws
        {
            if let value = try Setting.value(given, name) { limits[keyPath: path] = value.number * unit }
        }
        try set(\.maxConnections, maxConnections, "max-connections")
        try set(\.maxConnectionsPerClient, maxConnectionsPerClient, "max-connections-per-client")
        try set(\.maxBodyMemory, maxBodyMemory, "max-body-memory", unit: 1 << 20)
        try set(\.workers, workers, "workers")
        // A client may reset the stream of each request that the throttle lets it make.
        try set(\.maxResets, clientRate, "client-rate", unit: 2)
        limits.maxResets = max(limits.maxResets, ListenerLimits().maxResets)
        func set(_ path: WritableKeyPath<ListenerLimits, Duration>, _ given: TimeSpan?, _ name: String) throws {
            guard let time = try Setting.value(given, name)?.duration else { return }
            // No client is so fast.
            guard time > .zero else { throw UsageFailure("--\(name) has to be longer than 0s") }
            limits[keyPath: path] = time
        }
        try set(\.headTime, headTimeout, "head-timeout")
        try set(\.bodyTime, bodyTimeout, "body-timeout")
        try set(\.idleTime, idleTimeout, "idle-timeout")
        return limits
    }
}

extension ListenerLimits {
    /// Sets the longest body.
    /// - Throws: `UsageFailure` if the memory for bodies cannot hold it: every such upload would be answered with 503.
    mutating func adapt(to store: ServerLimits) throws {
        guard maxBodyMemory >= store.maxBackupBytes else {
            let needed = (store.maxBackupBytes - 1) / (1 << 20) + 1
            throw UsageFailure(
                "--max-body-memory is smaller than the largest backup of the store",
                hint: "use --max-body-memory \(needed) or more")
        }
        maxBodyBytes = store.maxBackupBytes
    }
}

/// 1 to 100000.
struct PositiveNumber: ExpressibleByArgument {
    let number: Int

    init?(argument: String) {
        guard let number = Int(argument), (1...100_000).contains(number) else { return nil }
        self.number = number
    }
}
#endif
