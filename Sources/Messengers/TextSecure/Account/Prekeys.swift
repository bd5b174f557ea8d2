public import Ratchet

// Ids of prekeys have 24 bits. The last-resort prekey has a fixed one: 0xFFFFF in the server's documentation, 0xFFFFFF in
// the clients. A server that hands out the lowest id first would hand out 0xFFFFF before every ordinary prekey above it,
// so ordinary ids stay below it. Both are read, and neither is allocated.

/// The prekey that the server keeps when it hands it out. It is never removed before the next registration.
public struct LastResortPrekey: Sendable {
    /// The id that is written.
    public static let id: UInt32 = 0xF_FFFF
    /// The ids that are read.
    public static let ids: [UInt32] = [id, 0xFF_FFFF]

    /// One of `ids`.
    public let id: UInt32
    /// The private key and its public half. It is never used up.
    public let key: AgreementKey

    /// Makes a prekey from the system's random numbers, with the first of `ids`.
    public init() {
        id = Self.id
        key = AgreementKey()
    }

    /// - Throws: `.wrongLastResortID`.
    public init(id: UInt32, key: AgreementKey) throws(TextSecureAccountError) {
        guard Self.ids.contains(id) else { throw .wrongLastResortID }
        self.id = id
        self.key = key
    }
}

extension PrekeyPool.Rules {
    /// 100 prekeys with ids from 1 to 0xFFFFE, one after the other from a random start; an id rests for 30 days.
    public static let textSecure = PrekeyPool.Rules(
        numbering: .counting(last: LastResortPrekey.id - 1), batch: 100, rest: .seconds(30 * 86_400))
}

extension PrekeyPool {
    /// Highest id that is read, from accounts of clients that numbered further.
    public static let maxTextSecureID: UInt32 = 0xFF_FFFE

    borrowing func contains(_ id: UInt32) -> Bool { key(id) != nil }
}
