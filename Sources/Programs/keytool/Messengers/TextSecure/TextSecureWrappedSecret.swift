import CommandLine
import Console
import SecureMemory
import TextSecure

/// A file in which a client keeps its master secret.
enum WrappedMasterSecret: TwoNames {
    case rncryptor([UInt8])
    case android(AndroidPreferences)

    /// Looks at what needs no password.
    /// - Throws: `ClientStorageError`; `ClientFileError.notClientStorage`.
    init(_ content: [UInt8]) throws {
        if RNCryptorBlob.isLikely(content.span) {
            try RNCryptorBlob.check(content.span)
            self = .rncryptor(content)
            return
        }
        let text = content.drop { [0x20, 0x09, 0x0d, 0x0a].contains($0) }
        if text.first == UInt8(ascii: "<") {
            self = .android(try AndroidPreferences(parsing: content.span))
            return
        }
        guard let text = String(validating: text, as: UTF8.self), let blob = RNCryptorBlob.blob(text: text) else {
            throw ClientFileError.notClientStorage
        }
        try RNCryptorBlob.check(blob.span)
        self = .rncryptor(blob)
    }

    /// Asks for the password, and opens the wrap.
    /// - Parameter file: names it in the question.
    func open(_ options: SecretOptions<ClientPassword>, of file: String, _ session: Session) throws -> MasterSecret {
        try SecretAsker(options, session.dialog).open(
            .for(file), isWrong: { $0 as? ClientStorageError == .wrongPasswordOrDamaged }
        ) { password in
            try session.output.busy("opening the file") { try open(password) }
        }
    }

    private func open(_ password: borrowing SecureBytes) throws(ClientStorageError) -> MasterSecret {
        switch self {
        case .rncryptor(let blob): try RNCryptorBlob.open(blob.span, password: password)
        case .android(let preferences): try preferences.open(passphrase: password)
        }
    }

    var names: (words: String, json: String) {
        switch self {
        case .rncryptor: ("iOS client, RNCryptor 3 (PBKDF2, 10,000 rounds)", "rncryptor")
        case .android: ("Android client, preferences (PKCS #12, 100 rounds)", "android")
        }
    }
}
