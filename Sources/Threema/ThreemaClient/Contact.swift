internal import SecureMemory
public import Threema
public import ThreemaDirectory
public import ThreemaForwardSecurity

// A contact in the store:
//
//   offset  length  meaning
//        0       8  ID
//        8      32  public key
//       40       1  forward security: 0 is used, 1 turned off here, 2 not supported by the contact
//       41       1  1 if the contact is blocked, else 0

/// Whom an identity exchanges messages with.
public struct Contact: Equatable, Sendable {
    /// The contact's ID, eight characters.
    public let id: ThreemaID
    /// The key of this ID, which never changes.
    public let publicKey: PublicKey
    /// Whether sessions are used: see the contact's feature mask, and ``Mailbox/refreshStates()``.
    public var forwardSecurity: ForwardSecurityPolicy
    /// Whether only its messages to groups are delivered.
    public var isBlocked: Bool

    /// Puts the parts together.
    /// - Parameter publicKey: of a contact code, or of the directory.
    public init(
        _ id: ThreemaID, _ publicKey: PublicKey, forwardSecurity: ForwardSecurityPolicy = .enabled,
        isBlocked: Bool = false
    ) {
        self.id = id
        self.publicKey = publicKey
        self.forwardSecurity = forwardSecurity
        self.isBlocked = isBlocked
    }

    /// Whom the directory tells of.
    /// - Returns: nil if the ID was revoked, or has no usable public key.
    public init?(_ entry: DirectoryEntry) {
        guard let publicKey = entry.publicKey, entry.state != .invalid else { return nil }
        let supports = entry.featureMask.contains(.forwardSecurity)
        self.init(entry.id, publicKey, forwardSecurity: supports ? .enabled : .unsupportedByContact)
    }

    static let encodedCount = ThreemaID.count + PublicKey.count + 2
    private static let policies: [ForwardSecurityPolicy] = [.enabled, .disabledHere, .unsupportedByContact]

    /// 42 bytes.
    var encoded: [UInt8] {
        // Every policy is in the list.
        let policy = UInt8(Self.policies.firstIndex(of: forwardSecurity)!)
        return id.bytes + publicKey.bytes + [policy, isBlocked ? 1 : 0]
    }

    /// - Returns: nil for anything but what `encoded` makes.
    init?(decoding bytes: Span<UInt8>) {
        guard bytes.count == Self.encodedCount,
            let id = try? ThreemaID(bytes: bytes.extracting(0..<ThreemaID.count)),
            let publicKey = PublicKey(bytes.extracting(ThreemaID.count..<bytes.count - 2).revealBytes()),
            bytes[bytes.count - 2] < Self.policies.count, bytes[bytes.count - 1] <= 1
        else { return nil }
        self.init(
            id, publicKey, forwardSecurity: Self.policies[Int(bytes[bytes.count - 2])],
            isBlocked: bytes[bytes.count - 1] == 1)
    }
}
