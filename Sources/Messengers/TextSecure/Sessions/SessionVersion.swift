public import Ratchet

/// The version of a session. It is another number than that of the server's API, and a session keeps it.
///
/// They differ in what they agree on, in the cipher of a message, and in what its MAC covers.
public enum SessionVersion: UInt8, Sendable, CaseIterable {
    /// Of the clients of the time: HKDF with blocks from 0, AES-256-CTR, no identities in the MAC.
    case two = 2
    /// HKDF of RFC 5869, AES-256-CBC, both identities in the MAC.
    case three = 3

    /// The highest version that is spoken here. Each message says so.
    public static let highest = SessionVersion.three

    /// Length of what a message key is made into, in bytes: cipher key (32), MAC key (32), in version 3 IV (16).
    public var keyCount: Int { self == .two ? 64 : 80 }

    /// The ratchet of this version.
    public var suite: RatchetSuite { self == .two ? .textSecure2 : .textSecure3 }
}

extension RatchetSuite {
    /// TextSecure's sessions, version 2. A message key is made into cipher key (32) ‖ MAC key (32).
    public static let textSecure2 = textSecure(.two, hasPrefix: false, firstBlock: 0)
    /// TextSecure's sessions, version 3. A message key is made into cipher key (32) ‖ MAC key (32) ‖ IV (16).
    public static let textSecure3 = textSecure(.three, hasPrefix: true, firstBlock: 1)

    private static func textSecure(_ version: SessionVersion, hasPrefix: Bool, firstBlock: UInt8) -> RatchetSuite {
        RatchetSuite(
            id: version.rawValue, agreement: Agreement(hasPrefix: hasPrefix, info: "WhisperText"), start: .sharedChain,
            rootInfo: "WhisperRatchet", expansion: Expansion(info: "WhisperMessageKeys", count: version.keyCount),
            headerKeys: nil, formerChains: .stayOpen, firstBlock: firstBlock,
            limits: Limits(
                maxSkipped: 2000, maxStored: 2000, overflow: .removeOldest, maxChains: 5,
                maxAge: .seconds(30 * 86_400)))
    }
}
