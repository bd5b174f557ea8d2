import Ratchet

/// The suites of protocols that exist, and one of neither with the smallest limits.
extension RatchetSuite {
    private static let hours = 3600

    /// TextSecure's sessions, version 3.
    package static let textSecure3 = textSecure(id: 3, hasPrefix: true, firstBlock: 1, keyCount: 80)
    /// TextSecure's sessions, version 2.
    package static let textSecure2 = textSecure(id: 2, hasPrefix: false, firstBlock: 0, keyCount: 64)

    private static func textSecure(id: UInt8, hasPrefix: Bool, firstBlock: UInt8, keyCount: Int) -> RatchetSuite {
        RatchetSuite(
            id: id, agreement: Agreement(hasPrefix: hasPrefix, info: "WhisperText"), start: .sharedChain,
            rootInfo: "WhisperRatchet", expansion: Expansion(info: "WhisperMessageKeys", count: keyCount),
            headerKeys: nil, formerChains: .stayOpen, firstBlock: firstBlock,
            limits: Limits(
                maxSkipped: 2000, maxStored: 2000, overflow: .removeOldest, maxChains: 5,
                maxAge: .seconds(30 * 24 * hours)))
    }

    /// SophaxChat's sessions, whose headers are encrypted.
    package static let sophaxChat = RatchetSuite(
        id: 10, agreement: Agreement(hasPrefix: true, info: "SophaxChat_X3DH_v1"), start: .rootKey,
        rootInfo: "SophaxChat_RootKey_v1", expansion: nil,
        headerKeys: HeaderKeys(initiatorInfo: "SophaxChat_HKAlice_v1", responderInfo: "SophaxChat_NHKBob_v1"),
        formerChains: .areClosed,
        limits: Limits(
            maxSkipped: 1000, maxStored: 1000, overflow: .refuse, maxChains: 51, maxAge: .seconds(7 * 24 * hours),
            maxSent: 1 << 20))

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
