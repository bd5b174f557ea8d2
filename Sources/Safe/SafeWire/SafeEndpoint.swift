public import HTTP

/// A Safe server: its address, the login it asks for, and which certificates to trust.
public struct SafeEndpoint: ~Copyable, Sendable {
    /// Longest text of certificate authorities, in bytes: some thirty certificates.
    public static let maxAuthorityBytes = 48 * 1024

    /// Most pins.
    public static let maxPins = 16

    /// All of it together.
    package static let maxBytes =
        SafeServerAddress.maxBytes + Login.maxUserBytes + Login.maxPasswordBytes + maxAuthorityBytes
        + maxPins * PublicKeyPin.count

    /// Where it is.
    public let address: SafeServerAddress
    /// Basic authentication; nil for none.
    public let login: Login?
    /// Whom to trust instead of the system's certificate authorities: certificates in PEM, nil for the system's.
    public let authority: [UInt8]?
    /// SHA-256 over the public keys (SubjectPublicKeyInfo) of which the server must show one, 32 bytes each; empty
    /// for any. They add to the checks of the certificate.
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

    /// What may be known of a server beside its address.
    package struct Approach: OptionSet, Sendable {
        /// The bits.
        package let rawValue: Int

        /// Any bits.
        package init(rawValue: Int) { self.rawValue = rawValue }

        /// User name and password.
        package static let login = Approach(rawValue: 1)
        /// Certificate authorities of its own, instead of the system's.
        package static let authority = Approach(rawValue: 2)
        /// The only public keys that are accepted.
        package static let pins = Approach(rawValue: 4)
    }

    /// This server without these.
    package consuming func without(_ approach: Approach) -> SafeEndpoint {
        let authority = approach.contains(.authority) ? nil : authority
        let pins = approach.contains(.pins) ? [] : pins
        let address = address
        return SafeEndpoint(
            address, login: approach.contains(.login) ? nil : takeLogin(), authority: authority, pins: pins)
    }

    /// This server, with other authorities and pins.
    package consuming func trusting(_ authority: [UInt8]?, pins: [PublicKeyPin]) -> SafeEndpoint {
        SafeEndpoint(address, login: takeLogin(), authority: authority, pins: pins)
    }

    /// Its login, nil if it needs none.
    package consuming func takeLogin() -> Login? { login }

    /// Whether both are one server, approached in the same way.
    package func isSame(as other: borrowing SafeEndpoint) -> Bool {
        address == other.address && Login.areSame(login, other.login) && authority == other.authority
            && pins == other.pins
    }

    /// A server that lets everybody in, trusted as the system trusts.
    public init(_ address: SafeServerAddress) {
        self.address = address
        login = nil
        authority = nil
        pins = []
    }

    /// A server with all that belongs to it.
    public init(
        _ address: SafeServerAddress, login: consuming Login?, authority: [UInt8]?, pins: [PublicKeyPin]
    ) {
        self.address = address
        self.login = login
        self.authority = authority
        self.pins = pins
    }
}
