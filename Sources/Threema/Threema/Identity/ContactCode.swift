public import Encodings

/// The content of the QR code that a contact scans: `3mid:<ID>,<public key, 64 hex>[,<expiry, Unix seconds>]`.
public struct ContactCode: Equatable, Sendable {
    /// The contact's ID.
    public let id: ThreemaID
    /// The contact's public key.
    public let publicKey: PublicKey
    /// When the code stops being valid; nil for never.
    public let expires: Timestamp?

    private static let prefix = "3mid:"

    /// Makes a code that is valid for ever.
    public init(id: ThreemaID, publicKey: PublicKey) {
        self.id = id
        self.publicKey = publicKey
        expires = nil
    }

    /// Parses a code. Hexadecimal digits may have either case. An expiry that is not a number, and further fields, are
    /// ignored as in the Android app.
    /// - Throws: `.malformed` if prefix, ID or key are malformed.
    public init(parsing text: String) throws(ContactCodeError) {
        guard text.hasPrefix(Self.prefix) else { throw .malformed }
        let fields = text.dropFirst(Self.prefix.count).split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count >= 2, let id = try? ThreemaID(String(fields[0])), let key = Hex.decode(String(fields[1])),
            let publicKey = PublicKey(key)
        else { throw .malformed }
        self.id = id
        self.publicKey = publicKey
        let seconds = fields.count > 2 ? Int64(fields[2]) : nil
        let milliseconds = seconds?.multipliedReportingOverflow(by: 1000)
        expires = milliseconds.flatMap { $0.overflow ? nil : Timestamp(milliseconds: $0.partialValue) }
    }

    /// The code as text, the key in lower case.
    public var text: String {
        let code = "\(Self.prefix)\(id),\(publicKey.hex)"
        return expires.map { "\(code),\($0.milliseconds / 1000)" } ?? code
    }

    /// Whether the code is no longer valid.
    public func hasExpired(at now: Timestamp) -> Bool { expires.map { $0 <= now } ?? false }
}

/// Why a text was not read as a contact code.
public enum ContactCodeError: Error, Equatable, Sendable {
    case malformed
}
