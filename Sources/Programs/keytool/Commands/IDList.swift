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
        let open: OpenKeystore
        do {
            open = try session.keystore(keystore.passphrase)
        } catch KeystoreError.absent {
            // A keystore that is still to be made holds nothing: that is an answer, not an error.
            try session.output.data([], json: Self.json([]))
            return
        }
        let keeper = session.keeper(open)
        var rows: [Row] = []
        var firstFailure: Failure?
        for owner in try session.identities(in: open) {
            do {
                rows.append(try Row(of: owner, in: session, open, keeper))
            } catch {
                // One damaged record does not hide the others.
                let failure = Failure(error)
                rows.append(Row(failed: owner, failure))
                if !session.output.isJSON { failure.report(isVerbose: session.output.isVerbose) }
                firstFailure = firstFailure ?? failure
            }
        }
        let pending = try keeper.identities.pendingKeys()
        let lines = rows.compactMap(\.line) + pending.map { "pending   \($0.hex)  perhaps registered" }
        try session.output.data(lines, json: Self.json(rows.map(\.json), pending: pending))
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

/// An identity in the list.
private struct Row {
    /// For people; nil if its error was told.
    let line: String?
    /// For programs.
    let json: JSONValue

    init(of owner: Owner, in session: Session, _ keystore: OpenKeystore, _ keeper: ThreemaKeeper) throws {
        let name = owner.members
        guard let id = owner.threemaID else {
            let summary = try Messengers.summary(of: owner, in: session, keystore)
            line = "\(owner.name)  \(summary.line)"
            json = .members(name + summary.members)
            return
        }
        let identity = try keeper.identities.summary(id)
        line = "\(id)  \(identity.publicKey.hex)  \(identity.safeWords)"
        let places = identity.places.map { JSONValue.string($0.text) }
        json = .members(
            name + [
                ("public_key", .string(identity.publicKey.hex)), ("safe", .bool(identity.hasSafe)),
                ("places", places.isEmpty ? nil : .some(.array(places))),
            ])
    }

    init(failed owner: Owner, _ failure: Failure) {
        line = nil
        json = ["messenger": .string(owner.messenger), "id": .string(owner.id), "error": failure.json]
    }
}

extension IdentityKeeper.Summary {
    /// The Safe places, for people. A single one has no name that anybody needs.
    fileprivate var safeWords: String {
        guard places.count > 1 else { return hasSafe ? "safe" : "no safe" }
        return "safe " + places.map(\.text).joined(separator: " ")
    }
}
