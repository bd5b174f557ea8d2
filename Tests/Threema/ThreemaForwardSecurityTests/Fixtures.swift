import SecureMemory
import ThreemaMessages

/// A copy in guarded memory.
func secure(_ bytes: [UInt8]) -> SecureBytes { SecureBytes(copying: bytes.span) }

/// Remembers nothing.
struct NoNonces: UsedNonces {
    func contains(_ digest: NonceDigest) throws(Never) -> Bool { false }
}
