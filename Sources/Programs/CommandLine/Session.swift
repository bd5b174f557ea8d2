import AtomicFiles
package import Console
import Glibc
import KeyWrapping
package import Keystore

/// What every verb works with: where to write, whether it may ask, and which keystore.
package struct Session {
    package let dialog: Dialog
    package let messengers: Messengers
    private let keystoreOption: String?

    package init(_ options: GlobalOptions, _ messengers: Messengers) {
        self.messengers = messengers
        dialog = Dialog(options.words, options.terminal)
        keystoreOption = options.keystore
    }

    package var output: Output { dialog.output }

    /// The keystore's path.
    package var keystorePath: String { get throws { try Self.keystorePath(keystoreOption) } }

    /// The keystore, where no result may go; nil if the place of the keystore is unknown, so that no command uses one.
    package var reserved: ReservedDirectory? { (try? keystorePath).map { ReservedDirectory($0, "the keystore") } }

    /// A keystore's path: option, environment, systemd's state directory, XDG, home.
    package static func keystorePath(_ option: String?) throws -> String {
        if let option {
            guard !option.isEmpty else { throw UsageFailure("--keystore is empty") }
            return option
        }
        if let path = try Environment.setting(GlobalOptions.keystoreVariable) { return path }
        // Relative paths are ignored, as the XDG specification has it: they would depend on the working directory.
        func isAbsolute(_ path: Substring) -> Bool { path.utf8.first == UInt8(ascii: "/") }
        let state = try Environment.setting("STATE_DIRECTORY")?.split(separator: ":").first
        if let state, isAbsolute(state) { return String(state) }
        let data = try Environment.setting("XDG_DATA_HOME")
        if let data, isAbsolute(data[...]) { return try keystorePath(in: data) }
        guard let home = try Environment.home else {
            throw UsageFailure("the home directory is unknown", hint: "use --keystore")
        }
        return try keystorePath(in: home + "/.local/share")
    }

    /// The keystore in a user's directory of data. Root has no business in that of another user.
    private static func keystorePath(in data: String) throws -> String {
        if geteuid() == 0, let (place, owner) = nearestOwner(data), owner != 0 {
            throw FileError.notOurs(path: place, owner: owner).failure.advising(
                "for root's own keystore, use --keystore DIR")
        }
        return data + "/keytool"
    }

    /// The first directory that exists, of this one and those above it, and the number of its owner.
    private static func nearestOwner(_ path: String) -> (path: String, owner: UInt32)? {
        var steps = path.split(separator: "/")
        while true {
            let place = "/" + steps.joined(separator: "/")
            if let status = FileStatus(place) { return (place, status.owner) }
            if steps.popLast() == nil { return nil }
        }
    }

    /// The keystore, opened; its passphrase is asked for where it is needed and no source gives it.
    /// - Throws: `KeystoreError.absent` if there is no keystore.
    package func keystore(_ passphrase: SecretOptions<KeystorePassphrase>) throws -> OpenKeystore {
        try unlock(LockedKeystore(at: keystorePath), passphrase)
    }

    /// The same, or nil if it is still to be made: it holds nothing, which may be an answer and not an error.
    package func madeKeystore(_ passphrase: SecretOptions<KeystorePassphrase>) throws -> OpenKeystore? {
        do { return try keystore(passphrase) } catch KeystoreError.absent { return nil }
    }

    /// The same for a list. If there is no keystore, it says where it has looked: the path may be mistyped.
    package func listedKeystore(_ passphrase: SecretOptions<KeystorePassphrase>) throws -> OpenKeystore? {
        if let keystore = try madeKeystore(passphrase) { return keystore }
        output.note("there is no keystore in \(try keystorePath)")
        return nil
    }

    /// Where the key of a protected keystore may come from.
    package enum KeySource {
        case passphrase
        /// The kernel's keyring if `key unlock` has left the key there, else the passphrase.
        case keyringOrPassphrase
    }

    /// What to do about a passphrase that is given for a keystore without protection.
    package enum NeedlessPassphrase {
        case refused
        /// The passphrase has another use, too.
        case ignored
    }

    /// - Parameters:
    ///   - source: where the key may come from.
    ///   - rule: what to do about a passphrase that is given for a keystore without protection.
    /// - Throws: `KeystoreError.unprotected` if a passphrase is given for a keystore without protection: somebody who
    ///   can write to the directory could have put another keystore there.
    package func unlock(
        _ locked: LockedKeystore, _ passphrase: SecretOptions<KeystorePassphrase>,
        from source: KeySource = .keyringOrPassphrase,
        ifUnprotected rule: NeedlessPassphrase = .refused
    ) throws -> OpenKeystore {
        guard locked.isProtected else {
            guard try rule == .ignored || passphrase.source() == nil else {
                throw KeystoreError.unprotected(path: locked.path)
            }
            return try locked.unlock()
        }
        return try SecretAsker(passphrase, dialog).open(
            .only, kept: { source == .keyringOrPassphrase ? locked.unlockFromKeyring() : nil },
            isWrong: { $0 as? KeyFileError == .notOpened }
        ) { passphrase in
            try output.busy("opening the keystore") { try locked.unlock(passphrase: passphrase) }
        }
    }

    /// Prints a note if the keystore is not protected by a passphrase.
    package func noteProtection(isProtected: Bool) {
        if !isProtected { output.note("the keystore is not protected by a passphrase") }
    }
}
