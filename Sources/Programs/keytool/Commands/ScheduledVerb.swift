import ArgumentParser
import Console
import Encodings
import SafeRules
import ThreemaKeeping
import Threema

/// The options of a verb that runs from cron.
struct ScheduleOptions: ParsableArguments {
    @Flag(help: "Do it for every identity whose Safe is set up.")
    var all = false

    @Option(help: ArgumentHelp("Wait first, for a random part of this time.", valueName: "duration"))
    var jitter: TimeSpan?

    @Option(
        help: ArgumentHelp(
            "Exit 0 silently if the server is unavailable or the keystore is in use, until the last success is older.",
            valueName: "duration"))
    var tolerate: TimeSpan?

    @Option(
        help: ArgumentHelp("How long to wait for another keytool process (default 1m).", valueName: "duration"))
    var lockWait: TimeSpan?

    @OptionGroup(title: "Monitoring")
    var monitoring: MonitoringOptions
}

/// A verb that runs from cron, for one identity or for all whose Safe is set up.
protocol ScheduledVerb: Verb {
    associatedtype Result

    var named: IdentityArgument { get }
    var schedule: ScheduleOptions { get }
    var keystore: KeystoreOptions { get }
    var waiting: TimeLimitOptions { get }

    /// Whether `--all` includes an identity whose Safe is set up.
    func isIncluded(_ id: ThreemaID, _ keeper: ThreemaKeeper) throws -> Bool
    /// Does the work for one identity.
    func work(_ id: ThreemaID, _ keeper: ThreemaKeeper, lockWait: Duration, _ output: Output) throws -> Result
    /// When the work last succeeded; nil if failures must not be tolerated.
    func lastSuccess(_ status: SafeKeeper.Status) -> Timestamp?
    func enter(_ result: Result, in report: inout RunReport)
    /// Prints what is worth a warning.
    func warn(_ id: ThreemaID, _ result: Result, _ output: Output)
    /// The result, for people.
    func line(_ result: Result) -> String
    /// The result in JSON.
    func members(_ id: ThreemaID, _ result: Result) -> [JSONValue.Member]
}

extension ScheduledVerb {
    private static var name: String { configuration.commandName ?? _commandName }
    /// The command in JSON.
    private static var command: String { "safe " + name }

    /// - Parameters:
    ///   - option: an option that is about one identity only.
    ///   - isGiven: whether it is given.
    func validateAll(_ option: String, isGiven: Bool) throws {
        guard schedule.all else { return }
        guard named.id == nil else { throw ValidationError("--all cannot be combined with an identity") }
        guard !isGiven else { throw ValidationError("\(option) cannot be combined with --all") }
    }

    /// Runs the verb, with its report to the monitoring.
    func runScheduled(_ session: Session) throws {
        if let jitter = schedule.jitter {
            Sleep.random(below: jitter.duration, before: "the \(Self.name)", session.output)
        }
        try schedule.monitoring.monitored(session.output) { report in try run(session, &report) }
    }

    /// Runs the verb.
    func run(_ session: Session, _ report: inout RunReport) throws {
        let keeper = try session.keeper(keystore.passphrase, waiting.limits)
        guard schedule.all else {
            let id = try session.identity(named.id, in: keeper)
            if let result = try run(id, keeper, session.output, &report) { try tell(id, result, session.output) }
            return
        }
        let setUp = try keeper.identities.ids().filter { try keeper.safe.isSetUp($0) }
        guard !setUp.isEmpty else {
            throw CommandFailure(
                failure: Failure(.absent, "no identity has a Safe", hints: "keytool safe setup").because(of: "no_setup")
            )
        }
        let ids = try setUp.filter { try isIncluded($0, keeper) }
        guard !ids.isEmpty else {
            throw UsageFailure("every Safe is set up for reading only", hint: "keytool safe mirror --all")
        }
        var results: [JSONValue] = []
        var firstFailure: Failure?
        for id in ids {
            // One server's silence must not use up the time of another.
            let keeper = keeper.connecting(session.connecting(waiting.limits))
            do {
                guard let result = try run(id, keeper, session.output, &report) else { continue }
                results.append(.object(members(id, result)))
                if !session.output.isJSON { try tell(id, result, session.output) }
            } catch {
                let failure = Failure(error)
                results.append(["id": .string(id.text), "error": failure.json])
                if !session.output.isJSON { failure.report(about: id.text) }
                firstFailure = firstFailure ?? failure
            }
        }
        if session.output.isJSON {
            try session.output.done([], json: .result(Self.command, [("results", .array(results))]))
        }
        if let firstFailure { throw CommandFailure(failure: firstFailure, isReported: true) }
    }

    /// - Returns: nil for a failure that is tolerated; the monitoring service is still told of it.
    private func run(
        _ id: ThreemaID, _ keeper: ThreemaKeeper, _ output: Output, _ report: inout RunReport
    ) throws -> Result? {
        do {
            let lockWait = schedule.lockWait?.duration ?? ThreemaKeeper.lockWait
            let result = try work(id, keeper, lockWait: lockWait, output)
            enter(result, in: &report)
            return result
        } catch {
            let failure = Failure(error)
            report.failure = report.failure ?? failure
            guard [.tempfail, .locked].contains(failure.status), let tolerate = schedule.tolerate,
                let status = try? keeper.safe.status(of: id), let last = lastSuccess(status),
                WallClock.now() - last <= tolerate.duration
            else { throw error }
            return nil
        }
    }

    private func tell(_ id: ThreemaID, _ result: Result, _ output: Output) throws {
        warn(id, result, output)
        try output.done(
            [(schedule.all ? "\(id): " : "") + line(result)],
            json: .result(Self.command, members(id, result).map { ($0.name, $0.value) }))
    }
}
