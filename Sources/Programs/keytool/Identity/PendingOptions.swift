import ArgumentParser
import Console
import Threema
import ThreemaKeeping

/// The option for a key whose registration is not finished.
struct PendingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The registration with this public key, or the first digits of it.", valueName: "digits"),
        completion: .list([]))
    var pending: String?

    /// As many digits as keytool prints where it names a pending key.
    static let printedDigits = 8

    func validate() throws {
        guard pending?.isEmpty != true else {
            throw ValidationError("--pending requires the first digits of a public key: keytool id list")
        }
    }

    /// The key that is named, or the only one.
    /// - Throws: `UsageFailure` if none or several fit; `Failure` if nothing is pending.
    func key(in keeper: ThreemaKeeper) throws -> PublicKey {
        let keys = try keeper.identities.pendingKeys()
        guard !keys.isEmpty else {
            throw Failure(.absent, "no registration is pending", hints: "keytool id list").because(of: "no_pending")
        }
        let digits = pending?.lowercased() ?? ""
        let fitting = keys.filter { $0.hex.utf8.starts(with: digits.utf8) }
        guard let key = fitting.first else {
            throw UsageFailure("no pending registration has a public key that begins so", hint: Self.list(keys))
        }
        guard fitting.count == 1 else {
            throw UsageFailure(
                "\(fitting.count) registrations are pending; choose one with --pending", hint: Self.list(fitting))
        }
        return key
    }

    private static func list(_ keys: [PublicKey]) -> Hint { Hint(keys.map(\.hex).joined(separator: " ")) }
}
