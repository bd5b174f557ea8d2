public import Threema

/// Whether a call between two goes through a relay (TURN), so that the other side does not learn this device's address
/// (whitepaper, "Privacy / IP exposure").
///
/// It only decides. With ``relayOnly``, the program must also set the transport policy of its WebRTC to relay only:
/// otherwise checks of connectivity go from this device to the other side's hosts. And it must remove from
/// descriptions, its own and the other side's, each line `a=candidate` that ``permits(_:)`` does not permit:
/// ``SDPPolicy`` leaves them as they are.
public enum CallRelay: Equatable, Sendable {
    /// The shortest way, also directly.
    case any
    /// Through a relay only.
    case relayOnly

    /// The rule of the apps: a contact with a single red dot gets a relay. One from the address book does not.
    /// - Parameters:
    ///   - level: of the contact; `.unverified` for somebody who is no contact.
    ///   - isAlways: the user's setting; `settings[.relayThreemaCalls]` of a Safe document.
    public init(for level: VerificationLevel, isAlways: Bool) {
        self = isAlways || level == .unverified ? .relayOnly : .any
    }

    /// Whether a candidate may be used or sent.
    public func permits(_ candidate: CallCandidate) -> Bool { self == .any || candidate.isRelayed }
}
