import Ratchet
import SophaxChat
import TextSecure

/// The suites of protocols that exist, as they are shipped, and one of neither with the smallest limits.
extension RatchetSuite {
    private static let hours = 3600

    /// The specification's double ratchet without header encryption.
    package static let plain = RatchetSuite(
        id: 20, agreement: Agreement(hasPrefix: true, info: "test agreement"), start: .rootKey, rootInfo: "test root",
        expansion: nil, headerKeys: nil, formerChains: .areClosed,
        limits: Limits(
            maxSkipped: 20, maxStored: 30, overflow: .removeOldest, maxChains: 4, maxAge: .seconds(hours),
            maxSent: 50))

    package static let all = [textSecure2, textSecure3, sophaxChat, plain]

    /// The suites of the random runs: as they are, and with limits that a run reaches.
    package static let forRuns = [
        textSecure2,
        textSecure3.with(
            Limits(maxSkipped: 15, maxStored: 25, overflow: .removeOldest, maxChains: 3, maxAge: .seconds(hours))),
        sophaxChat.with(
            Limits(
                maxSkipped: 20, maxStored: 20, overflow: .refuse, maxChains: 6, maxAge: .seconds(hours), maxSent: 60)),
        plain,
    ]

    private func with(_ limits: Limits) -> RatchetSuite {
        RatchetSuite(
            id: id, agreement: agreement, start: start,
            rootInfo: String(decoding: rootInfo, as: UTF8.self), expansion: expansion, headerKeys: headerKeys,
            formerChains: formerChains, firstBlock: firstBlock, limits: limits)
    }
}
