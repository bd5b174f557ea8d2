package import Encodings
package import Keystore
internal import SecureMemory

/// The verbs on the identities of Threema in a keystore, by subject.
package struct ThreemaKeeper: Sendable {
    /// Identities: make, list, remove.
    package let identities: IdentityKeeper
    /// Backup codes: write down, open, prove.
    package let codes: CodeKeeper
    /// Safe backups: set up, push, pull, check, move, delete.
    package let safe: SafeKeeper
    private let keystore: OpenKeystore

    /// How long verbs that have no option for it wait for an identity's lock.
    package static let lockWait = Duration.seconds(60)

    /// Nothing is opened or asked yet.
    /// - Parameters:
    ///   - now: the time by the system's clock.
    ///   - sleep: lets time pass, for example between two looks at a server.
    ///   - connect: the way to a Safe server.
    package init(
        keystore: OpenKeystore,
        now: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Duration) -> Void,
        connect: @escaping SafeKeeper.Connect
    ) {
        self.keystore = keystore
        identities = IdentityKeeper(keystore: keystore)
        codes = CodeKeeper(keystore: keystore, now: now)
        safe = SafeKeeper(keystore: keystore, now: now, connect: connect, sleep: sleep)
    }

    /// This keeper with another way to servers: for a command that has time limits of its own.
    package func connecting(_ connect: @escaping SafeKeeper.Connect) -> ThreemaKeeper {
        ThreemaKeeper(keystore: keystore, now: safe.now, sleep: safe.sleep, connect: connect)
    }

    /// Whether opening the keystore takes a passphrase.
    package var isProtected: Bool { keystore.isProtected }
}

extension OpenKeystore {
    /// The key of the digests in `UploadState`.
    var stateKey: SecureBytes { digestKey(UploadState.digestPurpose) }
}
