import SafeRules

/// A start, and what can happen from there.
package struct Scenario: Sendable, CustomStringConvertible {
    package var description: String { name }

    package let name: String
    package let terms: Terms
    package let start: World
    package let events: [Event]
    package let maxFaults: Int
    package let maxKills: Int
    package let depth: Int

    package var explorer: Explorer { Explorer(terms, events: events, maxFaults: maxFaults, maxKills: maxKills) }

    private init(
        _ name: String, _ terms: Terms, keystores: Int, _ events: [Event], faults: Int, kills: Int, depth: Int,
        isReadOnly: Bool = false
    ) {
        self.name = "\(name), \(terms), \(faults) faults, \(kills) kills"
        self.terms = terms
        self.events = events
        maxFaults = faults
        maxKills = kills
        self.depth = depth
        var start = World(keystores: keystores)
        for index in start.keystores.indices { start.keystores[index].setup?.knowledge.isReadOnly = isReadOnly }
        self.start = start
    }

    private static let allTerms = [
        Terms(isAlias: false, honoursConditions: true), Terms(isAlias: true, honoursConditions: true),
        Terms(isAlias: false, honoursConditions: false), Terms(isAlias: true, honoursConditions: false),
        Terms(isAlias: false, honoursConditions: true, isSecondTooSmall: true),
        Terms(isAlias: false, honoursConditions: true, retries: 1),
        Terms(isAlias: true, honoursConditions: false, retries: 1),
    ]

    /// Two faults and a kill in sequences of six, or less where more can happen, around one verb each; everything at
    /// once without faults to the same depth, and with them to less.
    package static let all: [Scenario] = allTerms.flatMap { terms in
        focused.map {
            Scenario($0.name, terms, keystores: $0.keystores, $0.events, faults: 2, kills: 1, depth: $0.depth)
        } + [
            Scenario("all changes", terms, keystores: 1, changes, faults: 0, kills: 0, depth: 6),
            Scenario("two keystores", terms, keystores: 2, neighbours, faults: 0, kills: 0, depth: 5),
            Scenario("all changes", terms, keystores: 1, changes, faults: 2, kills: 1, depth: 2),
            Scenario("two keystores", terms, keystores: 2, neighbours, faults: 2, kills: 1, depth: 2),
            Scenario("read-only", terms, keystores: 1, readers, faults: 2, kills: 1, depth: 2, isReadOnly: true),
        ]
    }

    /// The shortest sequences in which something does not hold if a part of the rule is missing
    /// (`Tests/mutants.toml`).
    package static let parts: [Scenario] = {
        let two = Terms(isAlias: false, honoursConditions: true)
        func part(
            _ name: String, _ terms: Terms, _ commands: [Event.Command], _ more: [Event] = [], faults: Int = 0,
            kills: Int = 0, isReadOnly: Bool = false
        ) -> Scenario {
            Scenario(
                name, terms, keystores: 1, Scenario.commands(commands, by: 0) + more, faults: faults, kills: kills,
                depth: 4, isReadOnly: isReadOnly)
        }
        return [
            part("an old place is judged", two, [.push, .passwd], [app]),
            part(
                "two addresses are proven to be two places", Terms(isAlias: true, honoursConditions: true),
                [.push, .move]),
            part("pushes go on beside a stuck change", two, [.push, .move, .abort], [.fill(place: 1)], kills: 1),
            part("findings are remembered", two, [.push, .check], [.loss(place: 0, password: 0)]),
            part(
                "an aborted place is judged", two, [.push, .passwd, .abort],
                [.app(address: 0, password: 1, key: 1)], kills: 1),
            part("a cancelled change stays cancelled", two, [.push, .move, .abort], faults: 1, kills: 1),
            part("a place is read after a deletion", two, [.push, .passwd], faults: 1),
            part("a deletion ends with its process", two, [.push, .delete], kills: 1),
            part("nothing is written where others write", two, [.mirror, .relogin], [app], isReadOnly: true),
        ]
    }()

    private static func commands(_ commands: [Event.Command], by index: Int) -> [Event] {
        commands.map { .verb($0, by: index) }
    }

    private static let app = Event.app(address: 0, password: 0, key: 1)

    private static let focused: [(name: String, keystores: Int, depth: Int, events: [Event])] = [
        ("passwd", 1, 6, commands([.push, .passwd, .abort], by: 0) + [app]),
        ("move", 1, 6, commands([.push, .move, .abort], by: 0) + [.app(address: 1, password: 0, key: 1)]),
        ("full", 1, 3, commands([.push, .move, .abort], by: 0) + [.fill(place: 0), .fill(place: 1), .edit(0)]),
        ("overwrite", 1, 3, commands([.push, .pushOverwrite, .passwdOverwrite], by: 0) + [app]),
        (
            "delete", 1, 6,
            commands([.push, .delete, .deleteForce, .pushResume], by: 0) + [app, .flood(place: 0, password: 0)]
        ),
        (
            "pull", 1, 6,
            commands([.push, .pullReplace, .check], by: 0)
                + [.app(address: 0, password: 0, key: 2), .flood(place: 0, password: 0), .hours(24)]
        ),
        (
            "mirror", 1, 5,
            commands([.push, .mirror, .pull], by: 0)
                + [app, .loss(place: 0, password: 0), .damage(place: 0, password: 0), .edit(0)]
        ),
        ("copies", 2, 5, commands([.push], by: 0) + commands([.push], by: 1) + [.copy, .edit(0), .hours(24)]),
    ]

    package static let changes: [Event] =
        commands(
            [
                .push, .pushOverwrite, .pushResume, .passwd, .passwdOverwrite, .move, .moveOverwrite, .moveLeavingOld,
                .respell, .abort, .forgetOld, .delete, .deleteForce, .check, .pullReplace,
            ], by: 0) + [
            app, .app(address: 1, password: 0, key: 1), .app(address: 0, password: 1, key: 2),
            .loss(place: 0, password: 0), .flood(place: 0, password: 0), .fill(place: 1), .hours(24), .hours(8 * 24),
            .arrival,
        ]

    /// What may be asked of a place that is set up for reading only.
    package static let readers: [Event] =
        commands(Event.Command.allCases.filter { $0 != .pushResume }, by: 0) + [
            app, .app(address: 0, password: 0, key: 2), .loss(place: 0, password: 0), .hours(24),
        ]

    package static let neighbours: [Event] =
        commands([.push, .pushForce, .pushOverwrite, .pull, .pullReplace, .passwd, .deleteKeepingSetup, .check], by: 0)
        + commands([.push, .pushForce, .pull, .passwd, .delete], by: 1)
        + [.copy, .edit(0), app, .damage(place: 0, password: 0), .hours(24)]
}
