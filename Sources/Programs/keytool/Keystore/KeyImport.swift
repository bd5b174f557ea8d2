import ArgumentParser
import CommandLine
import Console
import Encodings
import KeyWrapping
import Keystore
import SecureMemory
import Threema

struct KeyImport: Verb {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import the master key of the Android app.",
        discussion: """
            A key.dat or master_key.dat becomes the master key of an empty keystore, protected by the passphrase of \
            the file. keytool backup import takes the files that contain an identity. Since version 6.4, the Android \
            app has its key where no copy reaches it.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The key file.", completion: .file())
    var file: String

    @Flag(help: "Only open the file and show what it contains; store nothing.")
    var check = false

    @OptionGroup(title: "Passphrase of the file (default: the keystore passphrase)")
    var filePassphrase: SecretOptions<FilePassphrase>

    @OptionGroup var keystore: NewKeystoreOptions

    func run(_ session: Session) throws {
        let content = try InputFile(path: file).readGuarded(limit: KeyFileFormat.maxCount)
        guard !AndroidPrivateKeyFile.isLikely(file, content.count) else { throw AndroidPrivateKeyFile(path: file) }
        guard content.withBytes({ !GatewayKeyText.isLikely($0) && !IDBackup.isLikely($0) }) else { throw holdsIdentity }
        do {
            switch content.withBytes({ KeyFileFormat(of: $0) }) {
            case .desktop:
                // One that is damaged is not sent to another command.
                _ = try content.withBytes { (content) throws(KeyFileError) in try DesktopKeyStorage.cost(of: content) }
                throw holdsIdentity
            case .androidV1, .androidV2: try importMasterKey(content, session)
            case .androidSealed: throw KeyFileError.sealedByPhone
            }
        } catch KeyFileError.unknownVersion(let version) where version > Self.highestBelievedVersion {
            throw Failure(.badData, "\(file) is not a master key of the Android app")
        }
    }

    private var holdsIdentity: UsageFailure {
        UsageFailure(
            "\(file) contains an identity, not a master key", hint: "keytool backup import \(ShellWord.path(file))")
    }

    /// Greater numbers are the first letters of a text, or chance.
    private static let highestBelievedVersion = 255

    private func importMasterKey(_ content: consuming SecureBytes, _ session: Session) throws {
        let wrapped = try WrappedKey(content)
        let path = try session.keystorePath
        let protection =
            wrapped.protection == .none
            ? try adoptUnprotected(wrapped, at: path)
            : try open(session) { passphrase in
                let key = try wrapped.open(passphrase: passphrase)
                return check
                    ? wrapped.protection : try OpenKeystore.adopt(key, wrapped, passphrase: passphrase, at: path)
            }
        try session.output.done(
            [
                check ? "\(file) opens: a master key of the Android app" : "imported the master key of \(file)",
                "protection  \(protection.words)",
            ],
            json: .result(
                "key import",
                [("format", .string("android")), ("stored", .bool(!check))] + protection.members))
        if check { return }
        if wrapped.protection.isWeak {
            session.output.hint("the file had a weak cost; the keystore has the same passphrase at keytool's own cost")
        }
        if protection == .none && !keystore.noPassphrase { session.noteProtection(isProtected: false) }
    }

    private func adoptUnprotected(
        _ wrapped: borrowing WrappedKey, at path: String
    ) throws -> WrappedKey.Protection {
        let key = try wrapped.open()
        // A check needs no keystore, whose passphrase may be in the environment nevertheless.
        guard try filePassphrase.source() == nil, try check || keystore.passphrase.source() == nil else {
            throw Failure(
                .wrongPassword, "a passphrase was given, but \(file) is not protected by a passphrase",
                hints: "somebody may have replaced the file: compare it with an older copy",
                "if you know that it is unprotected: give no passphrase, then run keytool key protect")
        }
        if !check { try OpenKeystore.adopt(key, at: path) }
        return .none
    }

    private func open<Result: ~Copyable>(
        _ session: Session, _ body: (borrowing SecureBytes) throws -> Result
    ) throws -> Result {
        try FileOpening(name: file, filePassphrase, or: keystore.passphrase, session).open(body)
    }
}
