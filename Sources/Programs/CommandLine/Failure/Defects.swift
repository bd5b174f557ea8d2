package import Console
package import Primitives

extension KeyDerivationError: Explained {
    package var failure: Failure {
        switch self {
        case .memory(let bytes):
            Failure(.memory, "the key derivation needs \(bytes / 1_048_576) MiB of memory, which is not available")
        }
    }
}

extension Failure {
    /// Data of a later version.
    package static func later(_ message: String) -> Failure {
        Failure(.badData, message, hints: "a newer keytool may know it: install that version")
    }

    /// Something that cannot happen with sound memory and a program without mistakes.
    package static func defect(_ message: String) -> Failure {
        Failure(.internal, message, hints: "this should never happen: check the machine's memory, and please report it")
    }
}
