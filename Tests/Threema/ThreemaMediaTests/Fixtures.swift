import SecureMemory
import ThreemaMessages

extension EnclosedKey {
    static func of(_ bytes: [UInt8]) -> EnclosedKey { EnclosedKey(SecureBytes(copying: bytes.span)) }
}

extension EnclosedBytes {
    static func of(_ bytes: [UInt8]) -> EnclosedBytes { EnclosedBytes(copying: bytes.span) }
}
