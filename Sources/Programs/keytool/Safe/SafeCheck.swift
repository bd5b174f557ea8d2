import ArgumentParser
import CommandLine
import Console
import Keystore
import Encodings
import SafeKeeping
import ThreemaKeeping
import SafeRules
import SafeWire
import Threema

struct SafeCheck: Verb {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Verify that the Safe backup opens and equals the last upload.",
        discussion: """
            Reads the backup and opens it with the key in the keystore. Local changes that are not uploaded yet \
            are reported, but are not an error. Runs from cron, too.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @OptionGroup var place: PlaceOption

    @Flag(help: "Do it for every identity and Safe place.")
    var all = false

    @Flag(help: "Also ask for the Safe password, to verify that you still know it.")
    var withPassword = false

    @OptionGroup(title: "Safe password")
    var password: SecretOptions<SafePassword>

    @OptionGroup var keystore: KeystoreOptions

    @OptionGroup var waiting: TimeLimitOptions

    @Option(help: ArgumentHelp("Wait first, for a random part of this time.", valueName: "duration"))
    var jitter: TimeSpan?

    @OptionGroup(title: "Monitoring")
    var monitoring: MonitoringOptions

    func validate() throws {
        try place.validate(all: all, named)
        guard !all || !withPassword && !password.isGiven else {
            throw ValidationError("--all cannot be combined with a Safe password")
        }
    }

    func run(_ session: Session) throws {
        if let jitter { Sleep.random(below: jitter.duration, before: "the check", session.output) }
        try monitoring.monitored(.safeCheck, outside: session.reserved, session.output) { _ in try check(session) }
    }

    private func check(_ session: Session) throws {
        let keeper = try session.keeper(keystore.passphrase, waiting.limits)
        guard !all else { return try check(session.places(in: keeper).flatMap { $0 }, keeper, session) }
        let id = try session.identity(named.id, in: keeper)
        let places = try session.places(place.name, of: id, in: keeper)
        if let only = places.first, only.isOnly || place.name != nil {
            return try only.naming {
                try provePassword(of: only, keeper, session)
                let look = try check(only, keeper, session)
                try session.output.done(
                    ["the Safe backup of \(id) " + words(look)],
                    json: .result("safe check", only.members(members(id, look)).map { ($0.name, $0.value) }))
            }
        }
        guard !withPassword else {
            throw UsageFailure(
                "--with-password is about one place; name it with --name",
                hint: Hint(places.map(\.place.name.text).joined(separator: " ")))
        }
        try provePassword(of: places[0], keeper, session)
        try check(places, keeper, session)
    }

    /// Checks several places.
    private func check(_ places: [ChosenPlace], _ keeper: ThreemaKeeper, _ session: Session) throws {
        try session.forEach(places, keeper, waiting.limits, command: "safe check") { place, keeper in
            let look = try check(place, keeper, session)
            return PlaceReport(line: "the Safe backup " + words(look), members: members(place.id, look))
        }
    }

    /// - Throws: what is wrong with what was found.
    private func check(_ place: ChosenPlace, _ keeper: ThreemaKeeper, _ session: Session) throws -> SafeKeeper.Look {
        let look = try session.output.busy("downloading the Safe backup of \(place.label)") {
            try keeper.safe.look(at: place.place)
        }
        look.warn(place, session.output)
        try look.check(place.id)
        if look.isUnpushed, !look.isReadOnly {
            session.output.note(place.labelled("the keystore has changes that are not uploaded yet"))
        }
        return look
    }

    private func words(_ look: SafeKeeper.Look) -> String {
        "opens and \(look.isNewer ? "is" : "equals") \(look.goodWords)"
            + (withPassword ? "; the password is right" : "")
    }

    private func members(_ id: ThreemaID, _ look: SafeKeeper.Look) -> [JSONValue.Member] {
        JSONValue.members([
            ("id", .string(id.text)), ("same", .bool(!look.isNewer)),
            ("unpushed", .bool(look.isUnpushed && !look.isReadOnly)),
            ("password_proven", .bool(withPassword)), ("contacts", look.contacts.map { .number($0) }),
            ("groups", look.groups.map { .number($0) }),
            ("generation", look.writer.map { .number($0.generation) }),
        ]).members ?? []
    }

    /// Compares the password with the stored key, so that a wrong one is not taken for a backup that is missing.
    private func provePassword(of place: ChosenPlace, _ keeper: ThreemaKeeper, _ session: Session) throws {
        guard withPassword else {
            guard !password.isGiven else {
                throw UsageFailure("a Safe password requires --with-password")
            }
            return
        }
        try session.requireClient(for: place.place, in: keeper)
        let isWrong = { (error: any Error) in
            guard case SafeKeepingError.wrongPassword? = error as? SafeKeepingError else { return false }
            return true
        }
        let asker = SecretAsker(password, session.dialog)
        let isSaved = try asker.open(.for(place.id.text), isWrong: isWrong) { password in
            try session.output.busy("deriving the Safe key") {
                try keeper.safe.provePassword(password, of: place.place)
            }
        }
        if !isSaved {
            session.output.warn("the time of this proof was not stored: the keystore is in use or cannot be written")
        }
    }
}

extension SafeKeeper.Look {
    /// Throws what is wrong with what was found.
    func check(_ id: ThreemaID) throws {
        guard let failure else { return }
        let stage = isReadOnly ? SetupStage.readOnly : .usual
        guard let unreadable else {
            throw SafeKeepingError.refused(failure, id: id.text, server: server.text, stage: stage)
        }
        let hints = unreadable.failure.hints + failure.explained(id.text, server.text, stage).hints
        throw Failure(unreadable.failure.status, unreadable.failure.message, hints: hints)
            .because(of: failure.word)
    }

    /// What was found if nothing is wrong, for people.
    var goodWords: String {
        guard isReadOnly else { return "the last upload" }
        return isNewer
            ? "a newer backup than those in the history: keytool safe mirror stores it"
            : "the newest backup in the history"
    }

    /// The same in JSON.
    var goodWord: String { isReadOnly ? isNewer ? "newer" : "newest_mirrored" : "last_uploaded" }

    /// What is worth a word beside the result.
    func warn(_ place: ChosenPlace, _ output: Output) {
        if isUnnoted {
            output.warn(place.labelled("the result could not be stored: the keystore is in use or cannot be written"))
        }
        if let difference = ClockDifference(lead: notes.clockLead) { output.warn(place.labelled(difference.warning)) }
    }
}
