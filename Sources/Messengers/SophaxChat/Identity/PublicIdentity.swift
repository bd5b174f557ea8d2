internal import Encodings
internal import Primitives
internal import SecureMemory

/// The public keys of an identity.
public struct PublicIdentity: Hashable, Sendable {
    /// Ed25519, 32 bytes.
    public let signing: [UInt8]
    /// X25519, 32 bytes.
    public let agreement: [UInt8]

    /// - Returns: nil if a key has not 32 bytes.
    public init?(signing: [UInt8], agreement: [UInt8]) {
        guard signing.count == Ed25519.keyCount, agreement.count == X25519.count else { return nil }
        self.signing = signing
        self.agreement = agreement
    }

    /// SHA-256 of both keys, 32 bytes.
    public var fingerprint: [UInt8] { SHA256.hash((signing + agreement).span) }

    /// The name, 32 digits.
    public var peerID: PeerID { PeerID(fingerprint[0..<16]) }

    /// The name of 16 digits that later versions of the app use in places.
    public var shortPeerID: PeerID { PeerID(fingerprint[0..<8]) }

    /// Whether a name is this identity's, in either length.
    public func has(_ id: PeerID) -> Bool { id == peerID || id == shortPeerID }

    // MARK: Safety numbers

    /// What stands before the keys in the hash of a safety number.
    public enum SafetyDomain: Sendable {
        /// Nothing (March 2026).
        case none
        /// `SophaxChat_SafetyNumber_v1` (later versions).
        case version1

        var bytes: [UInt8] { self == .none ? [] : Array("SophaxChat_SafetyNumber_v1".utf8) }
    }

    private static let groups = 6
    private static let groupBytes = 5

    /// The safety number of this identity: 30 digits in six groups, joined by spaces. Each group is 5 bytes of
    /// SHA-512(domain ‖ signing key ‖ DH key), big endian, modulo 100,000.
    public func safetyNumber(_ domain: SafetyDomain) -> String { safetyGroups(domain).joined(separator: " ") }

    private func safetyGroups(_ domain: SafetyDomain) -> [String] {
        let input = domain.bytes + signing + agreement
        let digest = SHA512.hash(input.span)
        return (0..<Self.groups).map { group in
            let number = digest.withBytes { digest in
                (0..<Self.groupBytes).reduce(UInt64(0)) { $0 << 8 | UInt64(digest[group * Self.groupBytes + $1]) }
            }
            let digits = String(number % 100_000)
            return String(repeating: "0", count: 5 - digits.count) + digits
        }
    }

    /// The number of two identities, the same on both sides: 60 digits in twelve groups, the smaller number first.
    public static func pairNumber(_ one: PublicIdentity, _ other: PublicIdentity, _ domain: SafetyDomain) -> String {
        let numbers = [one.safetyNumber(domain), other.safetyNumber(domain)]
        return numbers.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.joined(separator: " ")
    }

    // MARK: QR code

    /// What a QR code for verification has: both keys, 64 bytes.
    public var code: [UInt8] { signing + agreement }

    /// Reads a QR code's payload.
    /// - Returns: nil if it has not 64 bytes.
    public init?(code: [UInt8]) {
        guard code.count == Ed25519.keyCount + X25519.count else { return nil }
        self.init(signing: Array(code[..<Ed25519.keyCount]), agreement: Array(code[Ed25519.keyCount...]))
    }
}
