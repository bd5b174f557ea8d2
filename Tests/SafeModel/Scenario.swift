import SafeRules

/// A start, and what can happen from there.
package struct Scenario: Sendable {
    package let name: String
    package let terms: Terms
    package let start: World
    package let events: [Event]
    package let maxFaults: Int

    package func explorer(clauses: Clauses = .all, maxFaults: Int? = nil, maxKills: Int = 1) -> Explorer {
        Explorer(terms, events: events, clauses: clauses, maxFaults: maxFaults ?? self.maxFaults, maxKills: maxKills)
    }

    /// One keystore that changes password and place, beside an app, without and with an alias; two keystores.
    package static let all: [Scenario] = {
        var scenarios: [Scenario] = []
        for terms in [
            Terms(isAlias: false, honoursConditions: true), Terms(isAlias: true, honoursConditions: true),
            Terms(isAlias: false, honoursConditions: false), Terms(isAlias: true, honoursConditions: false),
        ] {
            scenarios.append(
                Scenario(
                    name: "changes, \(terms)", terms: terms, start: World(keystores: 1), events: changes, maxFaults: 2))
            scenarios.append(
                Scenario(
                    name: "two keystores, \(terms)", terms: terms, start: World(keystores: 2), events: neighbours,
                    maxFaults: 2))
        }
        return scenarios
    }()

    private static func commands(_ commands: [Event.Command], by index: Int) -> [Event] {
        commands.map { .verb($0, by: index) }
    }

    static let changes: [Event] =
        commands(
            [
                .push, .pushOverwrite, .pushResume, .passwd, .move, .moveLeavingOld, .respell, .abort, .forgetOld,
                .delete, .check, .pullReplace,
            ], by: 0) + [
            .app(address: 0, password: 0, key: 1), .app(address: 1, password: 0, key: 1),
            .app(address: 0, password: 1, key: 2), .loss(place: 0, password: 0), .hours(24), .hours(8 * 24), .arrival,
        ]

    static let neighbours: [Event] =
        commands([.push, .pushForce, .pushOverwrite, .pull, .pullReplace, .passwd, .deleteKeepingSetup, .check], by: 0)
        + commands([.push, .pushForce, .pull, .passwd, .delete], by: 1)
        + [.copy, .edit(0), .app(address: 0, password: 0, key: 1), .damage(place: 0, password: 0), .hours(24)]
}
