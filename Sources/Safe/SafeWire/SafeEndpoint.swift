public import HTTP

/// A Safe server: its address, the login, and the certificates to trust.
public struct SafeEndpoint: ~Copyable, Sendable {
    /// Longest text of certificate authorities, in bytes: about thirty certificates.
    public static let maxAuthorityBytes = 48 * 1024

    /// Most pinned keys of a server.
    public static let maxPins = 16

    /// Longest name of a provisioning file, in bytes.
    package static let maxNameBytes = 64

    /// Most bytes of all parts together.
    package static let maxBytes =
        SafeServerAddress.maxBytes + Login.maxUserBytes + Login.maxPasswordBytes + maxAuthorityBytes
        + maxPins * PublicKeyPin.count + maxNameBytes

    /// The address of the server.
    public let address: SafeServerAddress
    /// Basic authentication; nil for none.
    public let login: Login?
    /// Certificates in PEM to trust instead of the system's; nil for the system's.
    public let authority: [UInt8]?
    /// Public keys of which the server must have one, in addition to all other checks; empty for any.
    public let pins: [PublicKeyPin]

    /// The name under which a keystore has the provisioning file that says where the server is; nil if a user said it.
    package let onPrem: String?

    /// The user of the login; nil for none.
    package var user: String? {
        switch login {
        case .some(let login): login.user
        case .none: nil
        }
    }

    /// A copy; the password is in guarded memory of its own.
    public var copy: SafeEndpoint {
        SafeEndpoint(address, login: Login.copy(of: login), authority: authority, pins: pins, onPrem: onPrem)
    }

    /// This server, with missing login, authorities and pins taken from `other`, and the name of its provisioning file.
    package func completed(by other: borrowing SafeEndpoint) -> SafeEndpoint {
        let login = Login.copy(of: login) ?? Login.copy(of: other.login)
        return SafeEndpoint(
            address, login: login, authority: authority ?? other.authority, pins: pins.isEmpty ? other.pins : pins,
            onPrem: onPrem ?? other.onPrem)
    }

    /// The parts of a `SafeEndpoint` beside its address.
    package struct Approach: OptionSet, Sendable {
        /// The bits.
        package let rawValue: Int

        /// Any bits.
        package init(rawValue: Int) { self.rawValue = rawValue }

        /// The user name and password.
        package static let login = Approach(rawValue: 1)
        /// The certificate authorities.
        package static let authority = Approach(rawValue: 2)
        /// The pinned public keys.
        package static let pins = Approach(rawValue: 4)
    }

    /// This server without some parts.
    package consuming func without(_ approach: Approach) -> SafeEndpoint {
        let authority = approach.contains(.authority) ? nil : authority
        let pins = approach.contains(.pins) ? [] : pins
        let (address, onPrem) = (address, onPrem)
        return SafeEndpoint(
            address, login: approach.contains(.login) ? nil : takeLogin(), authority: authority, pins: pins,
            onPrem: onPrem)
    }

    /// This server with other authorities and pins.
    package consuming func trusting(_ authority: [UInt8]?, pins: [PublicKeyPin]) -> SafeEndpoint {
        let (address, onPrem) = (address, onPrem)
        return SafeEndpoint(address, login: takeLogin(), authority: authority, pins: pins, onPrem: onPrem)
    }

    /// Returns the login; nil for none.
    package consuming func takeLogin() -> Login? { login }

    /// Whether all parts are equal.
    package func isSame(as other: borrowing SafeEndpoint) -> Bool {
        address == other.address && Login.areSame(login, other.login) && authority == other.authority
            && pins == other.pins && onPrem == other.onPrem
    }

    /// A server without login and pins, with the system's authorities.
    public init(_ address: SafeServerAddress) {
        self.init(address, login: nil, authority: nil, pins: [])
    }

    /// A server with its login, authorities and pins.
    public init(
        _ address: SafeServerAddress, login: consuming Login?, authority: [UInt8]?, pins: [PublicKeyPin]
    ) {
        self.init(address, login: login, authority: authority, pins: pins, onPrem: nil)
    }

    /// - Parameter onPrem: at most `maxNameBytes` bytes.
    package init(
        _ address: SafeServerAddress, login: consuming Login?, authority: [UInt8]?, pins: [PublicKeyPin],
        onPrem: String?
    ) {
        self.address = address
        self.login = login
        self.authority = authority
        self.pins = pins
        self.onPrem = onPrem
    }
}
