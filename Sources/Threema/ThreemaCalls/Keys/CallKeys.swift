internal import Primitives
public import SecureMemory
public import ThreemaMessages

// Keys of a group call. KDF(key, salt) is keyed BLAKE2b-256 over nothing, with personal "3ma-call":
//
//     GCKH    KDF(GCK, "#")                 hash of the call key: data of all derivations below
//     GCHK    KDF(GCK, "h")                 boxes of Hello messages
//     GCSK    KDF(GCK, "s")                 box of the call state
//     GCNHAK  KDF(shared key, "nha", GCKH)  inner boxes of Auth messages, between two identities
//     GCAMK   KDF(GCAK, "am", GCKH)         of those who hold the admin key
//     PCMFK   KDF(PCMK, "mf", GCKH)         frames of one participant, in `MediaKey`

/// The keys that all members of a group derive from the key in `GroupCallStart`.
public struct CallKeys: ~Copyable, Sendable {
    static let personal = "3ma-call"

    /// GCKH: the hash of the call key.
    public let hash: SecureBytes
    /// GCHK: seals Hello messages; 32 bytes.
    public let hello: SecureBytes
    /// GCSK: seals the call state.
    public let state: SecureBytes

    /// - Parameter key: GCK, of the start message.
    public init(_ key: EnclosedKey) {
        hash = BLAKE2b.deriveKey(from: key.bytes, salt: "#", personal: Self.personal)
        hello = BLAKE2b.deriveKey(from: key.bytes, salt: "h", personal: Self.personal)
        state = BLAKE2b.deriveKey(from: key.bytes, salt: "s", personal: Self.personal)
    }

    /// GCNHAK: seals the inner box of Auth messages. It shows that both sides have the private key of their identity.
    /// - Parameter contact: the keys between the two identities.
    public borrowing func authentication(with contact: borrowing ContactKeys) -> SecureBytes {
        derive(contact.message, "nha")
    }

    /// GCAMK: of messages to the group's admins.
    /// - Parameter key: GCAK, the admin key, 32 bytes.
    public borrowing func admin(_ key: borrowing SecureBytes) -> SecureBytes { derive(key, "am") }

    /// KDF(`key`, `salt`, GCKH).
    borrowing func derive(_ key: borrowing SecureBytes, _ salt: String) -> SecureBytes {
        hash.withBytes { hash in BLAKE2b.deriveKey(from: key, data: hash, salt: salt, personal: Self.personal) }
    }
}
