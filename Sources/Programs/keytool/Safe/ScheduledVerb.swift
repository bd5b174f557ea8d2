import ArgumentParser
import CommandLine
import Console
import Keystore
import Encodings
import SafeKeeping
import SafeRules
import SafeWire
import ThreemaKeeping
import Threema

/// The options of a verb that runs from cron.
struct ScheduleOptions: ParsableArguments {
    @Flag(help: "Do it for every identity and Safe place.")
    var all = false

    @OptionGroup var unattended: UnattendedOptions
}

/// The options of a verb that runs without a user.
struct UnattendedOptions: ParsableArguments {
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

/// A verb that runs from cron: for the places of one identity, for one of them, or for those of all identities.
protocol ScheduledVerb: Verb {
    associatedtype Result

    var named: IdentityArgument { get }
    var place: PlaceOption { get }
    var schedule: ScheduleOptions { get }
    var keystore: KeystoreOptions { get }
    var waiting: TimeLimitOptions { get }

    /// The given option that is about one place only; nil without it.
    var optionOfOnePlace: String? { get }
    /// The places of an identity that the verb is for, of those that are set up. Only if none was named.
    func chosen(_ places: [ChosenPlace], _ keeper: ThreemaKeeper) -> [ChosenPlace]
    /// Does the work for one place.
    func work(_ place: ChosenPlace, _ keeper: ThreemaKeeper, lockWait: Duration, _ output: Output) throws -> Result
    /// How long ago the work last succeeded; nil if failures must not be tolerated.
    func ageOfSuccess(_ status: SafeKeeper.Status) -> Duration?
    /// Whether the result is all that the user wants.
    var isOnlyShown: Bool { get }
    /// The limits that the server named during the work; nil if it was not asked.
    func limits(_ result: Result) -> ServerLimits?
    /// Prints what is worth a warning.
    func warn(_ place: ChosenPlace, _ result: Result, _ output: Output)
    /// The result, for people.
    func line(_ result: Result) -> String
    /// The result in JSON, the ID first.
    func members(_ id: ThreemaID, _ result: Result) -> [JSONValue.Member]
}

extension ScheduledVerb {
    private static var name: String { configuration.commandName ?? _commandName }
    /// The command in JSON.
    private static var command: String { "safe " + name }

    private var lockWait: Duration { schedule.unattended.lockWait?.duration ?? LockedIdentity.usualWait }

    private var limits: TimeLimits {
        var limits = waiting.limits
        limits.lock = lockWait
        return limits
    }

    func validateAll() throws {
        try place.validate(all: schedule.all, named)
        if schedule.all, let optionOfOnePlace {
            throw ValidationError("\(optionOfOnePlace) cannot be combined with --all")
        }
    }

    /// Runs the verb, with its report to the monitoring.
    func runScheduled(_ session: Session) throws {
        if let jitter = schedule.unattended.jitter {
            Sleep.random(below: jitter.duration, before: "the \(Self.name)", session.output)
        }
        try schedule.unattended.monitoring.monitored(.safe, outside: session.reserved, session.output) { report in
            try run(session, &report)
        }
    }

    /// Runs the verb.
    func run(_ session: Session, _ report: inout RunReport) throws {
        let keeper = try session.keeper(keystore.passphrase, limits)
        let places = try schedule.all ? allPlaces(session, keeper) : ownPlaces(session, keeper)
        if let only = places.first, !schedule.all, only.isOnly || place.name != nil {
            guard let result = try only.naming({ try run(only, keeper, session.output, &report) }) else { return }
            warn(only, result, session.output)
            return try session.output.result(
                [StyledLine(line(result))],
                json: .result(Self.command, only.members(members(only.id, result)).map { ($0.name, $0.value) }),
                isData: isOnlyShown)
        }
        try session.forEach(places, keeper, limits, command: Self.command, isData: isOnlyShown) { place, keeper in
            guard let result = try run(place, keeper, session.output, &report) else { return PlaceReport() }
            warn(place, result, session.output)
            return PlaceReport(line: line(result), members: members(place.id, result))
        }
    }

    /// The places of one identity: the named one, the only one, or all that the verb is for.
    private func ownPlaces(_ session: Session, _ keeper: ThreemaKeeper) throws -> [ChosenPlace] {
        let id = try session.identity(named.id, in: keeper)
        let places = try session.places(place.name, of: id, in: keeper)
        guard place.name == nil, places.count > 1 else { return places }
        let chosen = self.chosen(places, keeper)
        guard !chosen.isEmpty else { throw noneIncluded("every Safe place of \(id)", argument: " \(id)") }
        if let optionOfOnePlace {
            throw UsageFailure(
                "\(optionOfOnePlace) is about one place; name it with --name",
                hint: Hint(chosen.map(\.place.name.text).joined(separator: " ")))
        }
        return chosen
    }

    private func allPlaces(_ session: Session, _ keeper: ThreemaKeeper) throws -> [ChosenPlace] {
        let places = try session.places(in: keeper)
        let chosen = places.flatMap { self.chosen($0, keeper) }
        guard !chosen.isEmpty else { throw noneIncluded("every Safe", argument: " --all") }
        return chosen
    }

    private func noneIncluded(_ subject: String, argument: String) -> UsageFailure {
        UsageFailure("\(subject) is set up for reading only", hint: "keytool safe mirror\(argument)")
    }

    /// - Returns: nil for a failure that is tolerated; the monitoring service is still told of it.
    private func run(
        _ place: ChosenPlace, _ keeper: ThreemaKeeper, _ output: Output, _ report: inout RunReport
    ) throws -> Result? {
        do {
            let result = try work(place, keeper, lockWait: lockWait, output)
            if isMeasured, let status = try? keeper.safe.status(of: place.place) {
                enter(status, limits(result), in: &report)
            }
            return result
        } catch {
            let failure = Failure(error)
            report.failure = Failure.worse(report.failure, failure)
            let status = try? keeper.safe.status(of: place.place)
            if let status { enter(status, nil, in: &report) }
            guard failure.isTemporary, let tolerate = schedule.unattended.tolerate, let status,
                let age = ageOfSuccess(status),
                age <= tolerate.duration
            else { throw error }
            return nil
        }
    }

    private var isMeasured: Bool { schedule.unattended.monitoring.metricsFile != nil }

    /// Enters what is known of a place, also where nothing was due or the work failed: it may be the one that is worst
    /// off. When another device has uploaded a backup is not known, so neither is when it expires.
    private func enter(_ status: SafeKeeper.Status, _ limits: ServerLimits?, in report: inout RunReport) {
        report.enter(bytes: status.bytes, limit: limits, expiresAt: status.isReadOnly ? nil : status.expiresAt)
    }
}
