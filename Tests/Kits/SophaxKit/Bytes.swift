public import Ratchet
public import SecureMemory
import VectorKit

/// A text is not hexadecimal.
public struct NotHex: Error {}

/// A copy in guarded memory.
public func secure(_ bytes: [UInt8]) -> SecureBytes { SecureBytes(copying: bytes.span) }

/// The same as a key.
public func held(_ bytes: [UInt8]) -> HeldKey { HeldKey(secure(bytes)) }

/// - Throws: `NotHex`.
public func hex(_ text: String) throws -> [UInt8] {
    guard let bytes = [UInt8](hex: text) else { throw NotHex() }
    return bytes
}
