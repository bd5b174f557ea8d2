/// The kinds of protection that a MainKey may have, each at most once.
package struct ProtectionKinds: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The key itself, in the clear. Only the keystore's own passphrase protects it.
    package static let clear = ProtectionKinds(rawValue: 1)
    /// The key in an age file under a PIN or passphrase.
    package static let pin = ProtectionKinds(rawValue: 2)
    /// The key in an age file for the public keys of others.
    package static let key = ProtectionKinds(rawValue: 4)

    /// The kinds that keep the key from who can read the keystore.
    package static let real: ProtectionKinds = [.pin, .key]

    /// Whether a copy in the clear makes the other protections worthless.
    package var hasNeedlessClearCopy: Bool { contains(.clear) && !isDisjoint(with: .real) }
}
