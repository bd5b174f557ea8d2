internal import Encodings
public import SecureMemory

/// A Safe server: its address, the login it asks for, and which certificates to trust.
public struct SafeEndpoint: ~Copyable, Sendable {
    /// Longest text of certificate authorities, in bytes: some thirty certificates.
    public static let maxAuthorityBytes = 48 * 1024

    /// Longest user's name, in bytes.
    public static let maxUserBytes = 256
    /// Longest password, in bytes.
    public static let maxPasswordBytes = 4096
    /// Most pins.
    public static let maxPins = 16

    /// All of it together.
    public static let maxBytes =
        SafeServerAddress.maxBytes + maxUserBytes + maxPasswordBytes + maxAuthorityBytes + maxPins * PublicKeyPin.count

    /// Where it is.
    public let address: SafeServerAddress
    /// Basic authentication; nil for none.
    public let login: Login?
    /// Whom to trust instead of the system's certificate authorities: certificates in PEM, nil for the system's.
    public let authority: [UInt8]?
    /// SHA-256 over the public keys (SubjectPublicKeyInfo) of which the server must show one, 32 bytes each; empty
    /// for any. They add to the checks of the certificate.
    public let pins: [PublicKeyPin]

    /// A user's name and password.
    public struct Login: ~Copyable, Sendable {
        /// Not secret.
        public let user: String
        /// As typed, in bytes.
        public let password: SecureBytes

        /// A pair.
        public init(user: String, password: consuming SecureBytes) {
            self.user = user
            self.password = password
        }

        /// Whether Basic authentication, and libcurl, can say such a name.
        public static func isUser(_ text: String) -> Bool {
            (1...SafeEndpoint.maxUserBytes).contains(text.utf8.count) && !text.utf8.contains(UInt8(ascii: ":"))
                && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "\u{fffd}" }
        }

        /// Whether user and password are the same, compared in constant time.
        package func isSame(as other: borrowing Login) -> Bool {
            let isSamePassword = password.withBytes { own in
                other.password.withBytes { ConstantTime.areEqual(own, $0) }
            }
            return isSamePassword && user == other.user
        }

        /// A second pair of the same.
        public var copy: Login {
            Login(user: user, password: password.withBytes { SecureBytes(copying: $0) })
        }
    }

    /// The same once more.
    public var copy: SafeEndpoint {
        switch login {
        case .some(let login): SafeEndpoint(address, login: login.copy, authority: authority, pins: pins)
        case .none: SafeEndpoint(address, login: nil, authority: authority, pins: pins)
        }
    }

    /// The same, with what is known of the way to `other` where nothing is known here.
    public func completed(by other: borrowing SafeEndpoint) -> SafeEndpoint {
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

    /// What there is to know of the way to a server.
    public struct Approach: OptionSet, Sendable {
        /// The bits.
        public let rawValue: Int

        /// Any bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// User name and password.
        public static let login = Approach(rawValue: 1)
        /// Certificate authorities of its own, instead of the system's.
        public static let authority = Approach(rawValue: 2)
        /// The only public keys that are accepted.
        public static let pins = Approach(rawValue: 4)
    }

    /// This server, approached without these.
    public consuming func without(_ approach: Approach) -> SafeEndpoint {
        let authority = approach.contains(.authority) ? nil : authority
        let pins = approach.contains(.pins) ? [] : pins
        let address = address
        return SafeEndpoint(
            address, login: approach.contains(.login) ? nil : takeLogin(), authority: authority, pins: pins)
    }

    /// This server, with other authorities and pins.
    public consuming func trusting(_ authority: [UInt8]?, pins: [PublicKeyPin]) -> SafeEndpoint {
        SafeEndpoint(address, login: takeLogin(), authority: authority, pins: pins)
    }

    /// Its login, nil if it needs none.
    public consuming func takeLogin() -> Login? { login }

    /// Whether both are one server, approached in the same way.
    public func isSame(as other: borrowing SafeEndpoint) -> Bool {
        let isSameLogin: Bool
        switch login {
        case .some(let own):
            switch other.login {
            case .some(let theirs): isSameLogin = own.isSame(as: theirs)
            case .none: isSameLogin = false
            }
        case .none: isSameLogin = other.login == nil
        }
        return isSameLogin && address == other.address && authority == other.authority && pins == other.pins
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

/// SHA-256 over a server's public key (SubjectPublicKeyInfo).
public struct PublicKeyPin: Equatable, Sendable {
    /// Length in bytes.
    public static let count = 32

    /// The 32 bytes.
    public let digest: [UInt8]

    private static let prefix = "sha256//"

    /// - Parameter digest: 32 bytes; nil for another length.
    public init?(digest: [UInt8]) {
        guard digest.count == Self.count else { return nil }
        self.digest = digest
    }

    /// - Parameter text: `sha256//` and Base64, as curl has it; nil for anything else.
    public init?(text: String) {
        let base64 = Array(text.utf8.dropFirst(Self.prefix.utf8.count))
        guard text.hasPrefix(Self.prefix), let bytes = Base64.decode(base64.span) else { return nil }
        self.init(digest: bytes.withBytes { bytes in bytes.indices.map { bytes[$0] } })
    }

    /// `sha256//` and Base64.
    public var text: String { Self.prefix + Base64.encode(digest.span) }
}
