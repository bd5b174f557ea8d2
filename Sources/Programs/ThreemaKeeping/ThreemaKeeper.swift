package import Encodings
package import Keystore
package import SafeKeeping

/// Operations on the Threema identities in a keystore, by subject.
package struct ThreemaKeeper: Sendable {
    /// Creates, lists and removes identities.
    package let identities: IdentityKeeper
    /// Makes, opens and proves backup codes.
    package let codes: CodeKeeper
    /// Shares a private key among people, and recognises the shares.
    package let shares: ShareKeeper
    /// Remembers the emergency kit of an identity.
    package let kits: KitKeeper
    /// Sets up, pushes, pulls, checks, moves and deletes Safe backups.
    package let safe: SafeKeeper
    /// Reads, edits, replaces and compares the profile of an identity.
    package let profiles: ProfileKeeper
    /// Adds, verifies and removes contacts in a profile.
    package let contacts: ContactKeeper
    let keystore: OpenKeystore

    /// Opens nothing and sends no request.
    /// - Parameters:
    ///   - now: returns the time of the system's clock.
    ///   - sleep: waits, for example between two looks at a server.
    ///   - connect: makes the exchange with a Safe server.
    package init(
        keystore: OpenKeystore,
        now: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Duration) -> Void,
        connect: @escaping SafeKeeper.Connect
    ) {
        self.keystore = keystore
        identities = IdentityKeeper(keystore: keystore)
        codes = CodeKeeper(keystore: keystore, now: now)
        shares = ShareKeeper(keystore: keystore, now: now)
        kits = KitKeeper(keystore: keystore, now: now)
        safe = SafeKeeper(keystore: keystore, now: now, connect: connect, sleep: sleep)
        profiles = ProfileKeeper(keystore: keystore, safe: safe)
        contacts = ContactKeeper(profiles: profiles, now: now)
    }

    /// This keeper with another transport, for a command that has timeouts of its own.
    package func connecting(_ connect: @escaping SafeKeeper.Connect) -> ThreemaKeeper {
        ThreemaKeeper(keystore: keystore, now: safe.now, sleep: safe.sleep, connect: connect)
    }

    /// Whether unlocking the keystore needs a passphrase.
    package var isProtected: Bool { keystore.isProtected }
}
