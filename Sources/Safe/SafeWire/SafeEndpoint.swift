public import HTTP

/// A Safe server: its address, the login, and the certificates to trust.
public struct SafeEndpoint: ~Copyable, Sendable {
    /// Longest text of certificate authorities, in bytes: about thirty certificates.
    public static let maxAuthorityBytes = 48 * 1024

    /// Most pinned keys of a server.
    public static let maxPins = 16

    /// Most bytes of all parts together.
    package static let maxBytes =
        SafeServerAddress.maxBytes + Login.maxUserBytes + Login.maxPasswordBytes + maxAuthorityBytes
        + maxPins * PublicKeyPin.count

    /// The address of the server.
    public let address: SafeServerAddress
    /// Basic authentication; nil for none.
    public let login: Login?
    /// Certificates in PEM to trust instead of the system's; nil for the system's.
    public let authority: [UInt8]?
    /// Public keys of which the server must have one, in addition to all other checks; empty for any.
    public let pins: [PublicKeyPin]

    /// A copy; the password is in guarded memory of its own.
    public var copy: SafeEndpoint {
        switch login {
        case .some(let login): SafeEndpoint(address, login: login.copy, authority: authority, pins: pins)
        case .none: SafeEndpoint(address, login: nil, authority: authority, pins: pins)
        }
    }

    /// This server, with missing login, authorities and pins taken from `other`.
    package func completed(by other: borrowing SafeEndpoint) -> SafeEndpoint {
        let authority = authority ?? other.authority
        let pins = pins.isEmpty ? other.pins : pins
        switch login {
        case .some(let login): return SafeEndpoint(address, login: login.copy, authority: authority, pins: pins)
        case .none:
            switch other.login {
            case .some(let login): return SafeEndpoint(address, login: login.copy, authority: authority, pins: pins)
            case .none: return SafeEndpoint(address, login: nil, authority: authority, pins: pins)
            }
        }
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
        let address = address
        return SafeEndpoint(
            address, login: approach.contains(.login) ? nil : takeLogin(), authority: authority, pins: pins)
    }

    /// This server with other authorities and pins.
    package consuming func trusting(_ authority: [UInt8]?, pins: [PublicKeyPin]) -> SafeEndpoint {
        SafeEndpoint(address, login: takeLogin(), authority: authority, pins: pins)
    }

    /// Returns the login; nil for none.
    package consuming func takeLogin() -> Login? { login }

    /// Whether all parts are equal.
    package func isSame(as other: borrowing SafeEndpoint) -> Bool {
        address == other.address && Login.areSame(login, other.login) && authority == other.authority
            && pins == other.pins
    }

    /// A server without login and pins, with the system's authorities.
    public init(_ address: SafeServerAddress) {
        self.address = address
        login = nil
        authority = nil
        pins = []
    }

    /// A server with its login, authorities and pins.
    public init(
        _ address: SafeServerAddress, login: consuming Login?, authority: [UInt8]?, pins: [PublicKeyPin]
    ) {
        self.address = address
        self.login = login
        self.authority = authority
        self.pins = pins
    }
}
