public import Encodings
public import Ratchet
internal import SecureMemory

/// All that an account consists of, without its sessions: login, signaling key, identity and prekeys.
///
/// It is a value without I/O. Store it before any of its public keys is uploaded, and before the code that confirms the
/// number: what the server hands out must not be lost.
public struct TextSecureAccount: ~Copyable, Sendable {
    /// Registration ids, 14 bits.
    public static let registrationIDs: ClosedRange<UInt16> = 1...16380
    /// Longest server and relay in bytes.
    public static let maxNameCount = 1024

    /// The number that names the account.
    public let number: AccountNumber
    /// The password of the login at the server.
    public let password: AccountPassword
    /// Protects what the server pushes.
    public let signalingKey: SignalingKey
    /// The key that contacts compare.
    public let identity: AgreementKey
    /// Tells installs of one number apart.
    public let registrationID: UInt16
    /// The prekey that the server hands out when it has no other.
    public let lastResort: LastResortPrekey
    /// The prekeys that begin one session each.
    public var prekeys: PrekeyPool
    /// The server's address; nil if it is not known yet.
    public let server: String?
    /// The name of the server in a federation; nil without one.
    public let relay: String?

    /// An account of given parts.
    /// - Throws: `TextSecureAccountError`: `.wrongRegistrationID`, `.lastResortInPool`, `.wrongName`.
    public init(
        number: AccountNumber, password: AccountPassword, signalingKey: SignalingKey, identity: AgreementKey,
        registrationID: UInt16, lastResort: LastResortPrekey, prekeys: consuming PrekeyPool, server: String?,
        relay: String?
    ) throws(TextSecureAccountError) {
        guard Self.registrationIDs.contains(registrationID) else { throw .wrongRegistrationID }
        for id in LastResortPrekey.ids where prekeys.contains(id) { throw .lastResortInPool(id) }
        for name in [server, relay] {
            guard name.map(Self.isName) ?? true else { throw .wrongName }
        }
        self.number = number
        self.password = password
        self.signalingKey = signalingKey
        self.identity = identity
        self.registrationID = registrationID
        self.lastResort = lastResort
        self.prekeys = prekeys
        self.server = server
        self.relay = relay
    }

    /// Makes a new account without a server: password, signaling key, identity, registration id, last-resort prekey and
    /// a batch of prekeys. Store it; then confirm the code; then upload the keys.
    /// - Throws: `.wrongName`.
    public static func register(
        _ number: AccountNumber, server: String?, relay: String? = nil, at now: Timestamp
    ) throws(TextSecureAccountError) -> TextSecureAccount {
        var prekeys = PrekeyPool(PrekeyPool.Rules.textSecure)
        _ = prekeys.refill(at: now)
        return try TextSecureAccount(
            number: number, password: AccountPassword(), signalingKey: SignalingKey(), identity: AgreementKey(),
            registrationID: UInt16(Random.number(below: UInt32(registrationIDs.upperBound))) + 1,
            lastResort: LastResortPrekey(), prekeys: prekeys, server: server, relay: relay)
    }

    /// The private key of a prekey that a message names; nil if it is used up, or never was.
    public borrowing func prekey(_ id: UInt32) -> HeldKey? {
        id == lastResort.id ? lastResort.key.held : prekeys.key(id)
    }

    private static func isName(_ text: String) -> Bool {
        (1...maxNameCount).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }
}

/// Why parts are not an account, or why a text is not one.
public enum TextSecureAccountError: Error, Equatable, Sendable {
    /// The registration id is not in 1…16380.
    case wrongRegistrationID
    /// An ordinary prekey has the id of a last-resort one.
    case lastResortInPool(UInt32)
    /// The last-resort prekey has another id than 0xFFFFF or 0xFFFFFF.
    case wrongLastResortID
    /// Server or relay is empty, too long, or not printable ASCII without blanks.
    case wrongName
    /// The number is not E.164 with `+`.
    case wrongNumber
    /// The password is empty, too long, or has control characters.
    case wrongPassword
    /// The text has more than `limit` bytes.
    case tooLong(limit: Int)
    /// The text is not JSON, or a member is missing or not of its type.
    case malformed
    /// The text has a member that the format does not know.
    case unknownMember
    /// The text is of another messenger.
    case otherMessenger
    /// The text has another version of the format; nil if that is not a number.
    case unknownVersion(Int64?)
    /// The identity key is not Base64 of 32 bytes.
    case malformedIdentity
    /// The signaling key is not Base64 of 52 bytes.
    case malformedSignalingKey
    /// The key of this prekey is not Base64 of 32 bytes.
    case malformedPrekey(UInt32)
    /// Too many prekeys, two of one id, an id outside of 1…0xFFFFFE, or a next id outside of 1…0xFFFFE.
    case wrongPrekeys
}
