import SecureMemory
import VectorKit

@testable import ProtonMainKey

/// A copy in guarded memory.
func secure(_ bytes: [UInt8]) -> SecureBytes { SecureBytes(copying: bytes.span) }

/// A copy in guarded memory, of UTF-8.
func secure(_ text: String) -> SecureBytes { secure(Array(text.utf8)) }

/// A key from bytes that the tests know.
func mainKey(_ bytes: [UInt8]) throws -> MainKey { try MainKey(secure(bytes)) }

/// A key that several tests use.
final class HeldKey: Sendable {
    let key: MainKey

    init(_ key: consuming MainKey) { self.key = key }
}

/// What is read of a MainKey's property list.
func readMainKey(_ list: [UInt8]) -> [UInt8]? {
    guard let key = MainKeyList.read(list.span) else { return nil }
    return key.bytes.copied
}

/// A copy outside of guarded memory.
func copied(_ key: consuming MainKey?) -> [UInt8]? {
    guard let key else { return nil }
    return key.bytes.copied
}
