import Age
import ArgumentParser
import CommandLine
import Console
import Encodings
import Glibc
import KeyWrapping
import SecureMemory
import Threema
import ThreemaKeeping

/// What a key file of an identity needs beside itself.
struct IdentityKeyFileOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The ID of a Gateway key, which the file does not have.", valueName: "id"))
    var id: ThreemaID?

    @OptionGroup(title: "Passphrase of a Desktop key storage (default: the keystore passphrase)")
    var passphrase: SecretOptions<FilePassphrase>

    /// Refuses the options for a file that is none.
    func refuse(for what: String) throws {
        guard id == nil, !passphrase.isGiven else {
            throw UsageFailure("--id and the passphrase of the file are for key files; this is \(what)")
        }
    }
}

/// A file that contains the private key of an identity and is not a backup: found by its content.
enum IdentityKeyFile: ~Copyable {
    /// The text of a Gateway ID's key.
    case gateway(SecureBytes)
    /// `keystorage.pb3` of the Desktop app.
    case desktop(SecureBytes)

    /// - Parameter verb: what is done with the file, as `archive` calls it.
    /// - Returns: nil for a backup code, or if no file was named.
    /// - Throws: `UsageFailure` for a key file that belongs to another command; `InputError`.
    static func read(
        _ code: CodeOptions, _ options: IdentityKeyFileOptions, verb: String, _ output: Output
    ) throws -> IdentityKeyFile? {
        guard code.qrImage == nil, let path = code.file else { return try refuseOptions(options) }
        // The ID says what it is, in a pipe as well.
        guard options.id == nil else {
            let file = path == "-" ? InputFile.standardInput : InputFile(unawaited: path)
            let content = try file.readGuarded(.text, limit: KeyFileFormat.maxCount, warning: output)
            guard !content.withBytes({ IDBackup.isLikely($0) }) else {
                throw UsageFailure(
                    "\(path) is a backup code, which contains its ID", hint: "leave out --id; --expect-id compares it")
            }
            return .gateway(content)
        }
        guard path != "-" else {
            return try refuseOptions(options, UsageFailure("a file with a passphrase of its own has to be named"))
        }
        let file: PlainFile
        do throws(PlainFileError) {
            file = try PlainFile(path)
        } catch {
            let code = if case .notReadable(let code) = error { code } else { EINVAL }
            return try refuseOptions(options, InputError.notReadable(path: path, code: code))
        }
        guard file.count <= KeyFileFormat.maxCount else {
            // No secret that is not encrypted is that long.
            if let head = try? file.head(64), AgeFile.isLikely(head.span) { throw isAge(path, verb) }
            return try refuseOptions(options)
        }
        let content = try InputFile(path: path).readGuarded(limit: KeyFileFormat.maxCount)
        guard !content.withBytes({ GatewayKeyText.isLikely($0) }) else {
            throw UsageFailure("\(path) is the key of a Gateway ID, and does not say the ID", hint: "--id '*ABCDEFG'")
        }
        guard !content.withBytes({ AgeFile.isLikely($0) }) else { throw isAge(path, verb) }
        guard content.withBytes({ bytes in bytes.indices.contains { bytes[$0] >= 0x80 || bytes[$0] == 0 } }) else {
            return try refuseOptions(options)
        }
        guard !AndroidPrivateKeyFile.isLikely(path, content.count) else { throw AndroidPrivateKeyFile(path: path) }
        switch content.withBytes({ KeyFileFormat(of: $0) }) {
        case .desktop: return .desktop(content)
        case .androidSealed: throw KeyFileError.sealedByPhone
        case .androidV1, .androidV2:
            guard (try? WrappedKey(content)) != nil else { return try refuseOptions(options) }
            throw UsageFailure(
                "\(path) is a master key of the Android app, which contains no identity",
                hint: "keytool key import \(ShellWord.path(path))")
        }
    }

    private static func isAge(_ path: String, _ verb: String) -> UsageFailure {
        UsageFailure("\(path) is an age file, as archives are", hint: "keytool archive \(verb) \(ShellWord.path(path))")
    }

    /// - Parameter refusal: of a passphrase for the file.
    private static func refuseOptions(
        _ options: IdentityKeyFileOptions, _ refusal: any Error = KeyFileError.malformed
    ) throws -> IdentityKeyFile? {
        guard options.id == nil else { throw UsageFailure("--id is for the key of a Gateway ID: name its file") }
        // What has a passphrase of its own is a key storage, or was one.
        guard !options.passphrase.isGiven else { throw refusal }
        return nil
    }

    /// Opens it.
    /// - Parameter keystore: the passphrase that a Desktop key storage is tried with if it has none of its own.
    /// - Throws: `GatewayKeyError`; `KeyFileError`; `SafeKeepingError.unexpected`; what `SecretAsker.open` throws.
    consuming func open(
        _ code: CodeOptions, _ options: IdentityKeyFileOptions, or keystore: SecretOptions<KeystorePassphrase>,
        isStored: Bool, _ session: Session
    ) throws -> OpenedKeyFile {
        guard code.expectCheck == nil, !code.password.isGiven, !code.tryNewer else {
            throw UsageFailure("\(code.file ?? "the file") is a key file: it has neither a check word nor a password")
        }
        let opened: OpenedKeyFile
        switch consume self {
        case .gateway(let text):
            let key = try text.withBytes { (text) throws(GatewayKeyError) in
                try GatewayKeyText.decode(text, mayBeBare: true)
            }
            guard !options.passphrase.isGiven else {
                throw UsageFailure("the key of a Gateway ID is not protected: it has no passphrase")
            }
            // `read` has seen to it that there is an ID.
            opened = OpenedKeyFile(identity: Identity(id: options.id!, clientKey: key), kind: .gateway)
        case .desktop(let content):
            opened = try DesktopKeyFile(name: code.file ?? "", content).open(
                options.passphrase, or: keystore, isStored: isStored, session)
        }
        try code.expectations.check(opened.identity)
        return opened
    }
}

/// The identity of a key file.
struct OpenedKeyFile: ~Copyable {
    enum Kind {
        case gateway
        /// The group of chat servers: two hexadecimal digits.
        case desktop(serverGroup: String)
    }

    let identity: Identity
    let kind: Kind
}

/// A file in which the Android app keeps a value, encrypted under the master key: the private key, or another one.
struct AndroidPrivateKeyFile: Error {
    let path: String

    /// It has no structure of its own: its name says what it is, or that a private key takes 64 bytes.
    static func isLikely(_ path: String, _ count: Int) -> Bool {
        count == 64 || path.split(separator: "/").last?.hasPrefix(".crs-") == true
    }
}
