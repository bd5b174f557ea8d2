import ArgumentParser
import CommandLine
import Console
import Encodings
import Threema
import ThreemaKeeping
import ThreemaRecords

struct IDList: Verb {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the identities of the keystore.")

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        guard let open = try session.listedKeystore(keystore.passphrase) else {
            return try session.output.data([], json: Self.json([]))
        }
        let keeper = session.keeper(open)
        var listing = Listing(session.output)
        for owner in try session.identities(in: open) {
            listing.add(owner.members) {
                let summary = try session.messengers.summary(of: owner, in: session, open)
                return ("\(owner.name)  \(summary.line)", owner.members + summary.members)
            }
        }
        let pending = try keeper.identities.pendingKeys()
        let lines = listing.lines + pending.map { "pending   \($0.hex)  perhaps registered" }
        try listing.finish {
            try session.output.data(lines, json: Self.json(listing.entries, pending: pending))
            let misnamed = try open.countMisnamed()
            if misnamed > 0 {
                session.output.warn(
                    "\(misnamed) of the directories in identities/threema are left out: their names are not IDs")
            }
            if !pending.isEmpty {
                let choice = pending.count > 1 ? " --pending DIGITS" : ""
                session.output.hint("keytool id create --resume\(choice) finishes a pending registration")
            }
            if !lines.isEmpty { session.noteProtection(of: keeper) }
        }
    }

    /// - Parameter pending: the keys whose registration is not finished.
    private static func json(_ identities: [JSONValue], pending: [PublicKey] = []) -> JSONValue {
        let pending = pending.map { JSONValue.members([("public_key", .string($0.hex))]) }
        return .result(
            "id list",
            [("identities", .array(identities)), ("pending", pending.isEmpty ? .none : .some(.array(pending)))])
    }
}
