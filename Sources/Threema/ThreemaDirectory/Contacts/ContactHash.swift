internal import Encodings
internal import Primitives
public import Threema

/// What a directory gets of an address that is looked for (whitepaper, "Address Book Synchronization"): HMAC-SHA256
/// under a key that everybody knows. It hides no phone number: there are few enough to try them all.
public struct ContactHash: Hashable, Sendable {
    /// Which of the two hash functions was used: each has its own key.
    public enum Kind: Hashable, Sendable {
        case email
        case phone
    }

    /// Length in bytes.
    public static let count = 32

    /// What it is the hash of; the two have different keys.
    public let kind: Kind
    /// The 32 bytes.
    public let digest: [UInt8]

    private static let emailKey: [UInt8] = [
        0x30, 0xa5, 0x50, 0x0f, 0xed, 0x97, 0x01, 0xfa, 0x6d, 0xef, 0xdb, 0x61, 0x08, 0x41, 0x90, 0x0f,
        0xeb, 0xb8, 0xe4, 0x30, 0x88, 0x1f, 0x7a, 0xd8, 0x16, 0x82, 0x62, 0x64, 0xec, 0x09, 0xba, 0xd7,
    ]
    private static let phoneKey: [UInt8] = [
        0x85, 0xad, 0xf8, 0x22, 0x69, 0x53, 0xf3, 0xd9, 0x6c, 0xfd, 0x5d, 0x09, 0xbf, 0x29, 0x55, 0x5e,
        0xb9, 0x55, 0xfc, 0xd8, 0xaa, 0x5e, 0xc4, 0xf9, 0xfc, 0xd8, 0x69, 0xe2, 0x58, 0x37, 0x07, 0x23,
    ]

    /// Of the address as it is written there; see `EmailAddress.hashes` for its other name.
    public init(_ email: EmailAddress) {
        kind = .email
        digest = HMACSHA256.authenticate(Array(email.text.utf8).span, publicKey: Self.emailKey)
    }

    /// Hashes a phone number: its digits without the plus sign.
    public init(_ phone: PhoneNumber) {
        kind = .phone
        digest = HMACSHA256.authenticate(Array(phone.digits.utf8).span, publicKey: Self.phoneKey)
    }

    /// - Returns: nil for another length than 32 bytes.
    init?(_ kind: Kind, digest: [UInt8]) {
        guard digest.count == Self.count else { return nil }
        self.kind = kind
        self.digest = digest
    }

    /// As it stands in requests.
    public var base64: String { Base64.encode(digest.span) }
}

extension EmailAddress {
    /// What is sent to look for it: one hash, or two for a mailbox with two names.
    public var hashes: [ContactHash] { [self, alternative].compactMap { $0 }.map(ContactHash.init) }
}
