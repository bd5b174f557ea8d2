import ArgumentParser
import CommandLine
import Console
import Encodings
import KeyWrapping
import Keystore
import ThreemaKeeping
import SecureMemory
import Threema

struct KeyImport: Verb {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import a key file of the Android or Desktop app.",
        discussion: """
            An Android key.dat or master_key.dat becomes the master key of an empty keystore, protected by the \
            passphrase of the file. A Desktop keystorage.pb3 contains an identity, which is added to the keystore. Since \
            version 6.4, the Android app has its key where no copy reaches it.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The key file.", completion: .file())
    var file: String

    @Flag(help: "Only open the file and show what it contains; store nothing.")
    var check = false

    @Flag(help: "Overwrite another private key of this ID in the keystore (Desktop file only).")
    var replace = false

    @OptionGroup(title: "Passphrase of the file (default: the keystore passphrase)")
    var filePassphrase: SecretOptions<FilePassphrase>

    @OptionGroup var keystore: NewKeystoreOptions

    func run(_ session: Session) throws {
        let content = try InputFile(path: file).readGuarded(limit: KeyFileFormat.maxCount)
        let isCode = content.withBytes { Self.isCode($0) }
        guard !Self.isPreference(file) else {
            throw CommandFailure(
                failure: Failure(
                    .badData, "\(file) is a value that the Android app has sealed with its master key, not a key file",
                    hints: "no command opens it; a program can, with the library Threema and the app's key.dat",
                    "on the phone, make an ID backup, a data backup or a Safe: keytool backup import, keytool safe pull"
                ))
        }
        do {
            switch content.withBytes({ KeyFileFormat(of: $0) }) {
            case .desktop: try importIdentity(content, session)
            case .androidV1, .androidV2: try importMasterKey(content, session)
            case .androidSealed: throw KeyFileError.sealedByPhone
            }
        } catch KeyFileError.unknownVersion(let version) where version > Self.highestBelievedVersion {
            throw CommandFailure(
                failure: Failure(
                    .badData, "\(file) is not a key file of the Android or Desktop app",
                    hints: isCode ? ["keytool backup import \(file)"] : []))
        }
    }

    /// Greater numbers are the first letters of a text, or chance.
    private static let highestBelievedVersion = 255

    /// Whether a file is called as the app's encrypted preferences are, which have no structure of their own.
    private static func isPreference(_ path: String) -> Bool {
        path.split(separator: "/").last?.hasPrefix(".crs-") ?? false
    }

    /// Whether this is the text of a backup code.
    private static func isCode(_ content: Span<UInt8>) -> Bool {
        var count = 0
        for index in content.indices {
            switch content[index] {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "2")...UInt8(ascii: "7"):
                count += 1
            case UInt8(ascii: "-"), UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"): continue
            default: return false
            }
        }
        return IDBackup.Scheme.allCases.contains { $0.characterCount == count }
    }

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
        if check { return .none }
        guard try filePassphrase.source() == nil, try keystore.passphrase.source() == nil else {
            throw CommandFailure(
                failure: Failure(
                    .wrongPassword, "a passphrase was given, but \(file) is not protected by a passphrase",
                    hints: "somebody may have replaced the file: compare it with an older copy",
                    "if you know that it is unprotected: give no passphrase, then run keytool key protect"))
        }
        try OpenKeystore.adopt(key, at: path)
        return .none
    }

    private func importIdentity(_ content: consuming SecureBytes, _ session: Session) throws {
        // What is malformed needs no password.
        _ = try content.withBytes { (content) throws(KeyFileError) in try DesktopKeyStorage.cost(of: content) }
        let storage = try open(session) { password in
            try content.withBytes { (content) throws(KeyFileError) in
                try DesktopKeyStorage(opening: content, password: password)
            }
        }
        guard let id = try? ThreemaID(storage.id) else { throw KeyFileError.malformed }
        let identity = Identity(
            id: id, clientKey: ClientKey(storage.clientKey.withBytes { SecureBytes(copying: $0) }))
        let publicKey = identity.clientKey.publicKey
        var isNew = false
        if !check {
            // The keystore's passphrase has another use only if it opened the file.
            let isForFile = try filePassphrase.source() == nil
            let keeper = try session.keeperOfNewKeystore(keystore, ifUnprotected: isForFile ? .ignored : .refused)
            isNew = try keeper.codes.storeImported(identity, from: .keyFile, isReplacing: replace)
            if !keystore.noPassphrase { session.noteProtection(of: keeper) }
        }
        let lead =
            check ? "\(file) opens: an identity of the Desktop app" : isNew ? "imported" : "already in the keystore:"
        try session.output.done(
            [check ? lead : "\(lead) \(id)", "ID          \(id)"] + publicKey.labelledLines,
            json: .result(
                "key import",
                [
                    ("format", "desktop"), ("stored", .bool(isNew)), ("id", .string(id.text)),
                    ("public_key", .string(publicKey.hex)), ("server_group", .string(storage.serverGroup)),
                ]))
    }

    /// The passphrase of the file by its own options, else by the keystore's, else by asking.
    private func open<Result: ~Copyable>(
        _ session: Session, _ body: (borrowing SecureBytes) throws -> Result
    ) throws -> Result {
        let isWrong = { (error: any Error) in error as? KeyFileError == .notOpened }
        func derive(_ passphrase: borrowing SecureBytes) throws -> Result {
            try session.output.busy("deriving the key of the file") { try body(passphrase) }
        }
        if try filePassphrase.source() == nil, try keystore.passphrase.source() != nil {
            return try SecretAsker(keystore.passphrase, session.dialog).open(.also(of: file), isWrong: isWrong, derive)
        }
        return try SecretAsker(filePassphrase, session.dialog).open(.named(file), isWrong: isWrong, derive)
    }
}
