import AtomicFiles
import CommandLine
import Console
import Keystore
import KeyWrapping
import SecureMemory
import Threema

/// A key storage of the Desktop app, which was read.
struct DesktopKeyFile: ~Copyable {
    private let name: String
    private let content: SecureBytes

    init(name: String, _ content: consuming SecureBytes) {
        self.name = name
        self.content = content
    }

    /// Opens it with its own passphrase, else with the keystore's, else by asking.
    /// - Parameter isStored: whether the identity is stored then, in a keystore that is made for it if it is missing.
    func open(
        _ passphrase: SecretOptions<FilePassphrase>, or keystore: SecretOptions<KeystorePassphrase>, isStored: Bool,
        _ session: Session
    ) throws -> OpenedKeyFile {
        // The keystore is opened after it, from the same source.
        let isReadTwice = try passphrase.source() == nil && keystore.source()?.isReadOnce == true
        guard !isReadTwice || (session.isProtected ?? isStored) == false else {
            throw UsageFailure(
                "one passphrase from stdin or a file descriptor cannot serve for the file and for the keystore",
                hint: "--file-passphrase-file, -command or -fd gives that of the file")
        }
        // What is malformed needs no password.
        _ = try content.withBytes { (content) throws(KeyFileError) in try DesktopKeyStorage.cost(of: content) }
        let storage = try FileOpening(name: name, passphrase, or: keystore, session).open { password in
            try content.withBytes { (content) throws(KeyFileError) in
                try DesktopKeyStorage(opening: content, password: password)
            }
        }
        guard let id = try? ThreemaID(storage.id) else { throw KeyFileError.malformed }
        let key = ClientKey(storage.clientKey.withBytes { SecureBytes(copying: $0) })
        return OpenedKeyFile(
            identity: Identity(id: id, clientKey: key), kind: .desktop(serverGroup: storage.serverGroup))
    }
}

extension Session {
    /// Whether a passphrase protects the keystore; nil if it is missing, or cannot be read.
    fileprivate var isProtected: Bool? { try? LockedKeystore(at: keystorePath).isProtected }
}

extension SecretSource {
    /// Whether it gives the secret to the first reader only.
    fileprivate var isReadOnce: Bool {
        switch self {
        case .descriptor: true
        // A pipe, also as /dev/stdin, or of a shell's <(…).
        case .file(let path): path == "-" || FileStatus(path)?.isPlainFile == false
        case .command, .credential: false
        }
    }
}

/// How a key file is opened: by the passphrase of its own options, else by the keystore's, else by asking.
struct FileOpening {
    private let name: String
    private let passphrase: SecretOptions<FilePassphrase>
    private let keystore: SecretOptions<KeystorePassphrase>
    private let session: Session

    /// - Parameter name: of the file.
    init(
        name: String, _ passphrase: SecretOptions<FilePassphrase>, or keystore: SecretOptions<KeystorePassphrase>,
        _ session: Session
    ) {
        self.name = name
        self.passphrase = passphrase
        self.keystore = keystore
        self.session = session
    }

    func open<Result: ~Copyable>(_ body: (borrowing SecureBytes) throws -> Result) throws -> Result {
        let isWrong = { (error: any Error) in error as? KeyFileError == .notOpened }
        func derive(_ passphrase: borrowing SecureBytes) throws -> Result {
            try session.output.busy("deriving the key of the file") { try body(passphrase) }
        }
        if try passphrase.source() == nil, try keystore.source() != nil {
            return try SecretAsker(keystore, session.dialog).open(.also(of: name), isWrong: isWrong, derive)
        }
        return try SecretAsker(passphrase, session.dialog).open(.named(name), isWrong: isWrong, derive)
    }
}
