/// What is known about a contact's keys. First contact is trust on first use; only a comparison of numbers or a QR
/// code verifies it.
public enum ContactTrust: Equatable, Sendable {
    /// The keys were never compared.
    case unverified(PublicIdentity)
    /// The user has compared them.
    case verified(PublicIdentity)
    /// Other keys were seen. Nothing is sent before the user confirms them.
    case changed(known: PublicIdentity, seen: PublicIdentity, wasVerified: Bool)

    /// The keys that messages are sealed for and checked with: after a change the known ones, and not those seen.
    public var identity: PublicIdentity {
        switch self {
        case .unverified(let identity), .verified(let identity), .changed(let identity, _, _): identity
        }
    }

    /// Whether messages may be sent.
    public var canSend: Bool { if case .changed = self { false } else { true } }

    /// The trust after keys were seen. A change stays until it is confirmed, also if the known keys are seen again.
    public func seeing(_ seen: PublicIdentity) -> ContactTrust {
        switch self {
        case .unverified(let known) where known != seen: .changed(known: known, seen: seen, wasVerified: false)
        case .verified(let known) where known != seen: .changed(known: known, seen: seen, wasVerified: true)
        default: self
        }
    }

    /// The trust after the user has accepted the keys that were seen: they are not verified yet.
    public func confirmed() -> ContactTrust {
        if case .changed(_, let seen, _) = self { .unverified(seen) } else { self }
    }

    /// The trust after the user has scanned a QR code: verified if the code has the keys that were seen last.
    /// - Returns: nil if the code has other keys.
    public func comparing(code: [UInt8]) -> ContactTrust? {
        guard let scanned = PublicIdentity(code: code) else { return nil }
        switch self {
        case .unverified(let known), .verified(let known): return known == scanned ? .verified(known) : nil
        case .changed(_, let seen, _): return seen == scanned ? .verified(seen) : nil
        }
    }
}
