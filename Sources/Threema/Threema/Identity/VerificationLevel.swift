/// How far a contact's key is verified (whitepaper, "Key Distribution and Trust", "Verification Levels").
///
///     stored  shown  dots          key from
///          0      1  one, red      the directory, or typed
///          1      2  two, orange   the directory, for a phone number or address in the address book
///          2      3  three, green  the contact's own QR code
///
/// A Safe document stores 0 to 2. People and the web client see 1 to 3. A verified colleague in the work app has the
/// same levels in blue (`SafeContact.isWorkVerified`).
public enum VerificationLevel: Int, CaseIterable, Comparable, Sendable {
    case unverified = 0
    case serverVerified = 1
    case fullyVerified = 2

    /// The number in a Safe document, 0 to 2.
    public var stored: Int { rawValue }
    /// The number of dots that the apps show, 1 to 3.
    public var shown: Int { rawValue + 1 }

    /// Whether `left` is the lower level.
    public static func < (left: VerificationLevel, right: VerificationLevel) -> Bool { left.rawValue < right.rawValue }
}
