import CommandLine
import HTTP
import ArgumentParser
import Console
import Encodings
import SafeKeeping
import ThreemaKeeping
import SafeRules
import SafeWire
import Threema

struct SafeServerCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "server", abstract: "Show or change the address, login and certificates of the Safe server.",
        discussion: """
            Without options it shows address, user name, certificate authorities and pins. With options it tests the new \
            values on the server and stores them; the backup is not uploaded, moved or deleted. A new address is accepted \
            only if a test proves that it leads to the same place. To use another place, run safe move.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @OptionGroup var place: PlaceOption

    @OptionGroup(title: "Changes")
    var server: ServerOptions

    @Flag(help: "Use the server without user name and password.")
    var noLogin = false

    @Flag(name: .customLong("no-ca"), help: "Trust the system's certificate authorities again.")
    var noAuthority = false

    @Flag(help: "Remove all pins; all other checks of the certificate still apply.")
    var noPins = false

    @Flag(help: "Stop trying to delete an old backup that an earlier change could not delete.")
    var forgetOld = false

    @OptionGroup var keystore: KeystoreOptions

    @OptionGroup var waiting: TimeLimitOptions

    func validate() throws {
        try server.validate(without: without)
        guard !forgetOld || (without.isEmpty && !server.isGiven) else {
            throw ValidationError("--forget-old cannot be combined with other changes")
        }
    }

    private var without: SafeEndpoint.Approach {
        var without: SafeEndpoint.Approach = []
        if noLogin { without.insert(.login) }
        if noAuthority { without.insert(.authority) }
        if noPins { without.insert(.pins) }
        return without
    }

    func run(_ session: Session) throws {
        try server.checkAddress()
        let keeper = try session.keeper(keystore.passphrase, waiting.limits)
        let id = try session.identity(named.id, in: keeper)
        let chosen = try session.place(place.name, of: id, in: keeper)
        if forgetOld { return try forget(chosen, keeper, session.output) }
        let stored = try keeper.safe.server(of: chosen.place)
        var changed = try server.changed(from: stored, without: without, keeper.onPrem, session)
        let isChanged = changed != nil
        let before = try keeper.server(of: chosen.place)
        if let named = changed.take() {
            let new = try server.trustingFingerprint(named, waiting.limits, session)
            try session.requireOutsideKeystore(new.address)
            // There was a question perhaps, and what another process has set is not taken back.
            guard try keeper.safe.server(of: chosen.place).differences(from: stored).isEmpty else {
                throw Failure(
                    .tempfail, "another process changed the server of \(chosen.label) meanwhile", hints: "try again")
            }
            try session.output.busy("contacting the server") {
                try chosen.naming { try keeper.safe.readdress(chosen.place, as: new.copy) }
            }
        }
        let server = try keeper.server(of: chosen.place)
        let differences = server.differences(from: before)
        let json = json(chosen, server, isChanged: !differences.isEmpty)
        guard isChanged else { return try session.output.data(lines(server, nil), json: json) }
        try session.output.done(lines(server, differences), json: json)
    }

    private func forget(_ chosen: ChosenPlace, _ keeper: ThreemaKeeper, _ output: Output) throws {
        let id = chosen.id
        let old = try keeper.safe.status(of: chosen.place).oldServer
        let isForgotten = try keeper.safe.forgetOldPlace(of: chosen.place)
        try output.done(
            [
                isForgotten
                    ? "keytool no longer tries to delete the old backup of \(id) on \(old ?? "its old server"); it stays there"
                    : "no old backup of \(id) is left"
            ],
            json: .result(
                "safe server", chosen.members([("id", .string(id.text)), ("forgotten", .bool(isForgotten))])))
    }

    /// - Parameter differences: nil if no change was asked for.
    private func lines(_ server: borrowing SafeEndpoint, _ differences: [String]?) -> [String] {
        var lines = ["server      \(server.address.text)"]
        if let user = server.user { lines.append("user        \(user)") }
        if let authority = server.authority {
            let fingerprints = Fingerprint.ofCertificates(in: authority)
            lines.append("authority   instead of the system's; SHA-256:")
            lines += fingerprints.prefix(Self.shownAuthorities).flatMap(\.lines).map { "            \($0)" }
            let more = fingerprints.count - Self.shownAuthorities
            if more > 0 { lines.append("            and \(more) more") }
        }
        lines += server.pins.map { "pin         \($0.text)" }
        if let name = server.onPrem { lines.append("onprem      \(name)") }
        guard let differences else { return lines }
        return lines + ["changed     " + (differences.isEmpty ? "nothing" : differences.joined(separator: ", "))]
    }

    /// A file of authorities may hold a whole system's.
    private static let shownAuthorities = 4

    private func json(_ chosen: ChosenPlace, _ server: borrowing SafeEndpoint, isChanged: Bool) -> JSONValue {
        .result(
            "safe server",
            chosen.members([
                ("id", .string(chosen.id.text)), ("server", .server(server.address, nil)),
                ("user", server.user.map { .string($0) }),
                ("own_authority", .bool(server.authority != nil)),
                ("pins", .array(server.pins.map { .string($0.text) })), ("onprem", server.onPrem.map { .string($0) }),
                ("changed", .bool(isChanged)),
            ]))
    }
}
