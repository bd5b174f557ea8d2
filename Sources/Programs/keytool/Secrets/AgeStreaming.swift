import Age
import Console

// Age files that are written piece by piece.

extension AgeProtection {
    /// Whether it is a passphrase.
    var isPassphrase: Bool {
        switch self {
        case .passphrase: true
        case .recipients: false
        }
    }

    /// Begins a file that is written piece by piece. A passphrase takes a second.
    /// - Parameter key: the new file's own.
    /// - Throws: `AgeError`, or what `write` throws.
    borrowing func writer(
        _ key: borrowing AgeFileKey, _ output: Output, write: @escaping (Span<UInt8>) throws -> Void
    ) throws -> AgeWriter {
        switch self {
        case .passphrase(let passphrase):
            try output.busy("deriving the key of the file") {
                try AgeWriter(passphrase: passphrase, fileKey: key, write: write)
            }
        case .recipients(let recipients): try AgeWriter(to: recipients, fileKey: key, write: write)
        }
    }
}
