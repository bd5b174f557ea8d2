internal import Encodings
internal import SecureMemory

// The texts of keys are Bech32. The prefix says what they are (C2SP age; age 1.3 for those that are not supported):
//
//   age                     recipient, in lower case      AGE-SECRET-KEY-      identity, in upper case
//   age1pq                  post-quantum recipient        AGE-SECRET-KEY-PQ-   post-quantum identity
//   age1tag, age1tagpq      key in a device
//   age1NAME                recipient of a plugin         AGE-PLUGIN-NAME-     identity of a plugin

/// Reads the text of a key.
enum KeyText {
    static let recipientPrefix = "age"
    static let identityPrefix = "AGE-SECRET-KEY-"
    /// Most characters. A post-quantum recipient has some 2000.
    static let maxCount = 4096

    enum Expected { case recipient, identity }

    /// - Returns: the 32 bytes of a supported key.
    /// - Throws: `AgeKeyError`.
    static func decode(_ text: Span<UInt8>, as expected: Expected) throws(AgeKeyError) -> SecureBytes {
        guard text.count <= maxCount else { throw .notKey }
        let sshTypes = ["ssh-", "ecdsa-sha2-", "sk-ssh-"]
        if sshTypes.contains(where: { starts(text, with: $0) }) { throw .unsupported(.ssh) }
        let decoded = try bech32(text)
        switch decoded.prefix {
        case recipientPrefix:
            guard expected == .recipient else { throw .isRecipient }
        case identityPrefix:
            guard expected == .identity else { throw .isIdentity }
        default:
            guard let kind = kind(of: decoded.prefix) else { throw .malformed }
            throw .unsupported(kind)
        }
        guard decoded.data.count == 32 else { throw .malformed }
        return decoded.data.withBytes { SecureBytes(copying: $0) }
    }

    private static func bech32(_ text: Span<UInt8>) throws(AgeKeyError) -> Bech32.Decoded {
        do {
            return try Bech32.decode(text)
        } catch {
            switch error {
            case .noSeparator, .tooShort: throw .notKey
            case .character(let position): throw .character(position: position)
            case .checksum: throw .checksum
            case .mixedCase, .padding: throw .malformed
            }
        }
    }

    /// - Returns: nil for a prefix that age does not use.
    private static func kind(of prefix: String) -> AgeKeyError.Kind? {
        switch prefix {
        case "age1pq", "AGE-SECRET-KEY-PQ-": return .postQuantum
        case "age1tag", "age1tagpq": return .hardware
        default: break
        }
        let plugin = Array("AGE-PLUGIN-".utf8)
        if prefix.utf8.starts(with: "age1".utf8) { return .plugin(String(prefix.dropFirst(4))) }
        guard prefix.utf8.starts(with: plugin), prefix.utf8.last == UInt8(ascii: "-") else { return nil }
        return .plugin(prefix.dropFirst(plugin.count).dropLast().lowercased())
    }

    private static func starts(_ text: Span<UInt8>, with beginning: String) -> Bool {
        let beginning = Array(beginning.utf8)
        return text.count >= beginning.count && beginning.indices.allSatisfy { text[$0] == beginning[$0] }
    }
}
