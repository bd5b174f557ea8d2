import Encodings
import Glibc
import KeyWrapping
import Keystore
import SafeKeeping
import SafeWire
import Threema
import Transports

/// What every verb works with: where to write, whether it may ask, and which keystore.
struct Session {
    let output: Output
    /// Nil where questions cannot or must not be asked.
    let mayAsk: Bool
    private let keystoreOption: String?

    init(_ options: GlobalOptions) {
        output = Output(options)
        mayAsk = !options.noInput
        keystoreOption = options.keystore
    }

    /// The keystore's path.
    var keystorePath: String { get throws { try Self.keystorePath(keystoreOption) } }

    /// A keystore's path: option, environment, systemd's state folder, XDG, home.
    static func keystorePath(_ option: String?) throws -> String {
        if let option {
            guard !option.isEmpty else { throw UsageFailure("--keystore names no folder") }
            return option
        }
        if let path = Environment.value(GlobalOptions.keystoreVariable) { return path }
        if let path = Environment.value("STATE_DIRECTORY")?.split(separator: ":").first { return String(path) }
        // The XDG specification: a relative path is invalid and ignored.
        if let data = Environment.value("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/keytool" }
        guard let home = Environment.home else {
            throw UsageFailure("there is no home folder", hint: "use --keystore")
        }
        return home + "/.local/share/keytool"
    }

    /// The keystore, opened; its passphrase is asked for where it is needed and no source gives it.
    /// - Throws: `KeystoreError.absent` where there is none.
    func keeper(
        _ passphrase: SecretOptions<KeystorePassphrase>, _ patience: Patience = Patience()
    ) throws -> SafeKeeper {
        keeper(try unlock(LockedKeystore(at: keystorePath), passphrase), patience)
    }

    /// The same, but makes the keystore where there is none.
    /// - Parameter mayBeUnprotected: as for `unlock`.
    func keeperOfNewKeystore(_ options: NewKeystoreOptions, mayBeUnprotected: Bool = false) throws -> SafeKeeper {
        let path = try keystorePath
        do {
            return keeper(try unlock(LockedKeystore(at: path), options.passphrase, mayBeUnprotected: mayBeUnprotected))
        } catch KeystoreError.absent {
            let passphrase = try options.newPassphrase(self)
            return keeper(try output.busy("making the keystore") { try .making(at: path, passphrase: passphrase) })
        }
    }

    /// - Parameters:
    ///   - usingKeyring: whether the key that `key unlock` left in the kernel's keyring may be used.
    ///   - mayBeUnprotected: whether a given passphrase has another use if the keystore is not protected.
    /// - Throws: `KeystoreError.unprotected` if a passphrase is given for a keystore without protection: whoever can
    ///   write the folder could have put a keystore of their own there.
    func unlock(
        _ locked: LockedKeystore, _ passphrase: SecretOptions<KeystorePassphrase>, usingKeyring: Bool = true,
        mayBeUnprotected: Bool = false
    ) throws -> Keystore {
        guard locked.isProtected else {
            guard try mayBeUnprotected || passphrase.source() == nil else {
                throw KeystoreError.unprotected(path: locked.path)
            }
            return try locked.unlock()
        }
        return try SecretAsker(passphrase, self).open(
            "", kept: { usingKeyring ? locked.unlockFromKeyring() : nil },
            isWrong: { $0 as? KeyFileError == .notOpened }
        ) { passphrase in
            try output.busy("opening the keystore") { try locked.unlock(passphrase: passphrase) }
        }
    }

    /// Says that whoever has the keystore has the keys, where that is so.
    func noteProtection(of keeper: SafeKeeper) { noteProtection(isProtected: keeper.isProtected) }

    func noteProtection(isProtected: Bool) {
        if !isProtected { output.note("the keystore is not protected by a passphrase") }
    }

    func keeper(_ keystore: Keystore, _ patience: Patience = Patience()) -> SafeKeeper {
        SafeKeeper(
            keystore: keystore, now: Self.now, sleep: { Sleep.wait($0) }, connect: connecting(patience))
    }

    /// The time by the system's clock.
    @Sendable static func now() -> Timestamp {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The way to a Safe server. Nothing is opened before the first request.
    func connecting(_ patience: Patience) -> SafeKeeper.Connect {
        let watch = output.progress?.watch
        // Whoever watches can interrupt a long wait; a job is better ended, and run again later.
        let longestWait = isatty(STDERR_FILENO) == 1 ? Duration.seconds(300) : .seconds(30)
        let retry = RetryPolicy(total: patience.total, longestWait: longestWait) { Sleep.wait($0) }
        return { server, id in
            FolderExchange(server.address)
                ?? CurlExchange(
                    server, for: id, patience: patience.request, retry: retry, watch: watch)!
        }
    }

    /// The identity that was named, or the only one there is.
    func identity(_ named: ThreemaID?, in keeper: SafeKeeper) throws -> ThreemaID {
        if let named { return named }
        let ids = try keeper.identityIDs()
        guard let only = ids.first else { throw KeystoreError.absent(path: try keystorePath) }
        guard ids.count == 1 else {
            throw UsageFailure(
                "the keystore holds \(ids.count) identities: say which one",
                hint: ids.map(\.text).joined(separator: " "))
        }
        return only
    }
}
