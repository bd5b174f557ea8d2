import Primitives
import SecureMemory
import VectorKit

@testable import Telegram

/// A copy in guarded memory.
func secure(_ bytes: [UInt8]) -> SecureBytes { SecureBytes(copying: bytes.span) }

/// A copy in guarded memory, of UTF-8.
func secure(_ text: String) -> SecureBytes { secure(Array(text.utf8)) }

/// A key from bytes that the tests know.
func authorizationKey(_ bytes: [UInt8]) throws -> AuthorizationKey { try AuthorizationKey(copying: bytes.span) }

extension DesktopLocalKey {
    /// Encrypts as the Desktop app does.
    /// - Parameter zeros: whether it is padded with zeros instead of random bytes.
    func seal(_ payload: Span<UInt8>, zeros: Bool = false) -> [UInt8] {
        var plain: [UInt8] = []
        plain.append(number: UInt32(4 + payload.count))
        for index in payload.indices { plain.append(payload[index]) }
        let padding = BlockKeys.paddingCount(of: plain.count)
        plain += zeros ? [UInt8](repeating: 0, count: padding) : Random.bytes(padding)
        let hash = Array(Legacy.SHA1.hash(plain.span).prefix(16))
        let keys = bytes.withBytes { LegacyMTProto1.blockKeys($0, messageKey: hash, offset: 8) }
        return hash + keys.encrypt(plain.span)
    }
}

/// A byte array of the Desktop app, with its length in front.
func desktopArray(_ bytes: [UInt8]) -> [UInt8] { bigEndian(UInt32(bytes.count)) + bytes }

/// 4 bytes.
func bigEndian(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }

/// A file of the Desktop app with this data.
func desktopFile(_ data: [UInt8], version: UInt32 = 1) -> [UInt8] {
    var tail = data
    tail.append(number: UInt32(data.count))
    tail.append(number: version)
    var file = Array("TDF$".utf8)
    tail += file
    file.append(number: version)
    return file + data + Legacy.MD5.hash(tail.span)
}
