internal import Encodings
public import SecureMemory

/// User name and password on a server (Basic authentication, RFC 7617).
public struct Login: ~Copyable, Sendable {
    /// Longest user name, in bytes.
    public static let maxUserBytes = 256
    /// Longest password, in bytes.
    public static let maxPasswordBytes = 4096

    /// The user name, which is not secret.
    public let user: String
    /// The password as typed: bytes of any encoding, at most `maxPasswordBytes`.
    public let password: SecureBytes

    /// - Parameter user: a name for which `isUser` is true.
    /// - Parameter password: at most `maxPasswordBytes` bytes.
    public init(user: String, password: consuming SecureBytes) {
        self.user = user
        self.password = password
    }

    /// Whether a text can be a user name: 1 to 256 bytes without colons and control characters.
    public static func isUser(_ text: String) -> Bool {
        (1...maxUserBytes).contains(text.utf8.count) && !text.utf8.contains(UInt8(ascii: ":"))
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "\u{fffd}" }
    }

    /// Whether user and password are the same, compared in constant time.
    package func isSame(as other: borrowing Login) -> Bool {
        let isSamePassword = password.withBytes { own in
            other.password.withBytes { ConstantTime.areEqual(own, $0) }
        }
        return isSamePassword && user == other.user
    }

    /// Whether both are nil, or the same login. Compares in constant time.
    package static func areSame(_ left: borrowing Login?, _ right: borrowing Login?) -> Bool {
        switch left {
        case .some(let left):
            switch right {
            case .some(let right): left.isSame(as: right)
            case .none: false
            }
        case .none:
            switch right {
            case .some: false
            case .none: true
            }
        }
    }

    /// A copy of a login; nil for none.
    package static func copy(of login: borrowing Login?) -> Login? {
        switch login {
        case .some(let login): login.copy
        case .none: nil
        }
    }

    /// A copy in guarded memory of its own.
    public var copy: Login {
        Login(user: user, password: password.withBytes { SecureBytes(copying: $0) })
    }

    /// The header `Authorization: Basic …`, terminated by NUL.
    package var authorization: SecureBytes {
        let user = Array(user.utf8)
        var pair = SecureBuffer(capacity: user.count + 1 + password.count)
        pair.append(user.span)
        pair.append(UInt8(ascii: ":"))
        pair.append(password)
        let beginning = Array("Authorization: Basic ".utf8)
        var line = SecureBuffer(capacity: beginning.count + Base64.encodedCount(pair.count) + 1)
        line.append(beginning.span)
        pair.finish().withBytes { Base64.encode($0, appendingTo: &line) }
        line.append(0)
        return line.finish()
    }
}
