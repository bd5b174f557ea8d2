import CommandLine
import Console
import Encodings
import Threema
import ThreemaKeeping

/// What directories have said of the contacts of all identities, as `contact check` has stored it. Nobody is asked.
struct ContactsCheck {
    private let keeper: ThreemaKeeper

    private static let futureTime = "at a time in the future: the clock was wrong then, or is now"

    init(_ keeper: ThreemaKeeper) { self.keeper = keeper }

    /// - Returns: one finding; none if no directory was asked.
    func findings(of ids: [ThreemaID]) -> [Finding] {
        var (contacts, revoked, acknowledged, otherKeys, own) = (0, 0, 0, 0, 0)
        var times: [Timestamp] = []
        for id in ids {
            // Damage is reported with the identities.
            guard let found = try? keeper.contacts.findings(of: id), !found.findings.isEmpty else { continue }
            contacts += found.count { !$0.isOwn }
            revoked += found.count { !$0.isOwn && $0.kind == .revoked(isAcknowledged: false) }
            acknowledged += found.count { !$0.isOwn && $0.kind == .revoked(isAcknowledged: true) }
            otherKeys += found.count { !$0.isOwn && $0.kind.name == "other_key" }
            own += found.count { $0.isOwn && ($0.kind.name == "other_key" || $0.kind.isAcknowledged != nil) }
            if let asked = try? keeper.contacts.states(of: id).allAskedAt { times.append(asked) }
        }
        guard contacts > 0 || own > 0 || !times.isEmpty else { return [] }
        let now = WallClock.now()
        let isInFuture = times.contains { $0 > now }
        let age: String? = isInFuture ? Self.futureTime : times.min().map { now.age(of: $0) }
        let counts = [
            (own, (own == 1 ? "identity" : "identities") + " of this keystore revoked or with another key"),
            (otherKeys, "with another key at the directory"), (revoked, "revoked"),
            (acknowledged, "revoked and acknowledged"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        let words =
            ["\(Counted.text(contacts, "contact")) checked" + (age.map { ", the last time \($0)" } ?? "")]
            + (counts.isEmpty ? ["none revoked, and no key differs"] : counts)
        let result: Finding.Result = otherKeys + own > 0 ? .problem : revoked > 0 || isInFuture ? .warning : .ok
        return [Finding("contacts", result, words.joined(separator: "; "), status: .verifyFailed)]
    }
}
