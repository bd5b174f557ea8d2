import ArgumentParser
import Console
import Encodings
import Keystore
import ThreemaKeeping
import Threema

struct IDList: Verb {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the identities of the keystore.")

    @ParentCommand var noun: IDCommand
    @OptionGroup var globals: GlobalOptions

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let keeper: ThreemaKeeper
        do {
            keeper = try session.keeper(keystore.passphrase)
        } catch KeystoreError.absent {
            // A keystore that is still to be made holds nothing: that is an answer, not an error.
            try session.output.data([], json: Self.json([]))
            return
        }
        var lines: [String] = []
        var members: [JSONValue] = []
        var firstFailure: Failure?
        for id in try keeper.identities.ids() {
            do {
                let identity = try keeper.identities.summary(id)
                lines.append("\(id)  \(identity.publicKey.hex)  \(identity.safeWords)")
                let places = identity.places.map { JSONValue.string($0.text) }
                members.append(
                    .members([
                        ("id", .string(id.text)), ("public_key", .string(identity.publicKey.hex)),
                        ("safe", .bool(identity.hasSafe)), ("places", places.isEmpty ? nil : .some(.array(places))),
                    ]))
            } catch {
                // One damaged record does not hide the others.
                let failure = Failure(error)
                members.append(["id": .string(id.text), "error": failure.json])
                if !session.output.isJSON { failure.report(isVerbose: session.output.isVerbose) }
                firstFailure = firstFailure ?? failure
            }
        }
        let pending = try keeper.identities.pendingKeys()
        lines += pending.map { "pending   \($0.hex)  perhaps registered" }
        try session.output.data(lines, json: Self.json(members, pending: pending))
        if !pending.isEmpty { session.output.hint("keytool id create --resume finishes a pending registration") }
        if !lines.isEmpty { session.noteProtection(of: keeper) }
        if let firstFailure { throw CommandFailure(failure: firstFailure, isReported: true) }
    }

    /// - Parameter pending: the keys whose registration is not finished.
    private static func json(_ identities: [JSONValue], pending: [PublicKey] = []) -> JSONValue {
        let pending = pending.map { JSONValue.members([("public_key", .string($0.hex))]) }
        return .result(
            "id list",
            [("identities", .array(identities)), ("pending", pending.isEmpty ? .none : .some(.array(pending)))])
    }
}

extension IdentityKeeper.Summary {
    /// The Safe places, for people. A single one has no name that anybody needs.
    fileprivate var safeWords: String {
        guard places.count > 1 else { return hasSafe ? "safe" : "no safe" }
        return "safe " + places.map(\.text).joined(separator: " ")
    }
}
