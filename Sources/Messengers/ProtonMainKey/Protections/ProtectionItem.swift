internal import Encodings
public import SecureMemory

/// The items of the app's keychain that protect a MainKey. The raw value is the name.
public enum ProtectionItem: String, CaseIterable, Sendable {
    /// The MainKey in the clear, 32 bytes.
    case none = "NoneProtection"
    case pin = "PinProtection"
    case pinSalt = "PinProtection.salt"
    case pinVersion = "PinProtection.version"
    /// For work in the background, under a text that the app makes.
    case randomPIN = "RandomPinProtection"
    case randomPINSalt = "RandomPinProtection.salt"
    case randomPINVersion = "RandomPinProtection.version"
    /// Under a key in the Secure Enclave, which no other machine has.
    case bio = "BioProtection"
    case bioVersion = "BioProtection.version"

    /// Longest file of an item in bytes, with its content as text.
    public static let maxFileCount = 4 * PINProtection.maxCount

    /// The content of an item from a file, which has it as it is, in hexadecimal or in Base64. Whitespace in text is
    /// ignored.
    ///
    /// Bytes of an item's own length are the content. So are bytes that are not text: a ciphertext is text with a
    /// chance below 2^-64.
    /// - Parameter file: at most `maxFileCount` bytes.
    /// - Throws: `.tooLong`; `.notReadable` if an item of a known length has another one in every form.
    public func content(of file: Span<UInt8>) throws(ProtectionItemError) -> SecureBytes {
        guard file.count <= Self.maxFileCount else { throw .tooLong(self, limit: Self.maxFileCount) }
        if let count, file.count == count { return SecureBytes(copying: file) }
        let text = Self.withoutWhitespace(file)
        if isVersion {
            // `1` in hexadecimal and Base64, or the text itself.
            for one in ["31", "MQ=="] where text.withBytes({ $0.equals(one) }) {
                return text.withBytes { _ in Self.one() }
            }
            return text
        }
        if let bytes = text.withBytes({ Hex.decode($0) }), isRight(bytes.count) { return bytes }
        if let bytes = text.withBytes({ Base64.decode($0) }), isRight(bytes.count) { return bytes }
        guard count == nil else { throw .notReadable(self) }
        return SecureBytes(copying: file)
    }

    /// Length of the content in bytes, if it is always the same.
    private var count: Int? {
        switch self {
        case .none: MainKey.count
        case .pinSalt, .randomPINSalt: PINProtection.saltCount
        default: nil
        }
    }

    private var isVersion: Bool { self == .pinVersion || self == .randomPINVersion || self == .bioVersion }

    private func isRight(_ length: Int) -> Bool { length > 0 && (count == nil || count == length) }

    private static func one() -> SecureBytes { SecureBytes(count: 1) { $0[0] = UInt8(ascii: "1") } }

    private static func withoutWhitespace(_ file: Span<UInt8>) -> SecureBytes {
        var buffer = SecureBuffer(capacity: file.count)
        for index in file.indices where !ASCII.isBlank(file[index]) { buffer.append(file[index]) }
        return buffer.finish()
    }
}

extension Span where Element == UInt8 {
    /// Whether these are the bytes of a text that is not secret.
    func equals(_ text: String) -> Bool {
        guard count == text.utf8.count else { return false }
        return zip(indices, text.utf8).allSatisfy { self[$0] == $1 }
    }
}

/// Why items do not hold a protection.
public enum ProtectionItemError: Error, Equatable, Sendable {
    /// The file of an item is longer than `limit` bytes.
    case tooLong(ProtectionItem, limit: Int)
    /// The file of an item has not the item's length, neither as it is nor in hexadecimal or Base64.
    case notReadable(ProtectionItem)
    /// An item was added twice.
    case duplicate(ProtectionItem)
    /// An item is missing without which another one, which is there, has no use.
    case missing(ProtectionItem)
}
