import HTTP
import AtomicFiles
import Console
import Encodings
import Glibc
import HTTPTransport
import KeyWrapping
import Keystore
import SafeKeeping
import ThreemaKeeping
import SafeWire
import Threema
import SafeTransports
import ThreemaDirectory

/// What every verb works with: where to write, whether it may ask, and which keystore.
struct Session {
    let dialog: Dialog
    let messengers: Messengers
    private let keystoreOption: String?
    /// Keeps connections open until the command ends.
    private let client = CurlClient()

    init(_ options: GlobalOptions, _ messengers: Messengers = .shipped) {
        self.messengers = messengers
        dialog = Dialog(options.words, options.terminal)
        keystoreOption = options.keystore
    }

    var output: Output { dialog.output }

    /// The keystore's path.
    var keystorePath: String { get throws { try Self.keystorePath(keystoreOption) } }

    /// The keystore, where no result may go; nil if the place of the keystore is unknown, so that no command uses one.
    var reserved: ReservedDirectory? { (try? keystorePath).map { ReservedDirectory($0, "the keystore") } }

    /// A keystore's path: option, environment, systemd's state directory, XDG, home.
    static func keystorePath(_ option: String?) throws -> String {
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
            throw CommandFailure(
                failure: FileError.notOurs(path: place, owner: owner).failure
                    .advising("for root's own keystore, use --keystore DIR"))
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
    func keeper(
        _ passphrase: SecretOptions<KeystorePassphrase>, _ limits: TimeLimits = TimeLimits()
    ) throws -> ThreemaKeeper {
        keeper(try keystore(passphrase), limits)
    }

    /// The same for verbs of every messenger.
    func keystore(_ passphrase: SecretOptions<KeystorePassphrase>) throws -> OpenKeystore {
        try unlock(LockedKeystore(at: keystorePath), passphrase)
    }

    /// The same, or nil if it is still to be made: it holds nothing, which may be an answer and not an error.
    func madeKeystore(_ passphrase: SecretOptions<KeystorePassphrase>) throws -> OpenKeystore? {
        do { return try keystore(passphrase) } catch KeystoreError.absent { return nil }
    }

    /// The same for a list. If there is no keystore, it says where it has looked: the path may be mistyped.
    func listedKeystore(_ passphrase: SecretOptions<KeystorePassphrase>) throws -> OpenKeystore? {
        if let keystore = try madeKeystore(passphrase) { return keystore }
        output.note("there is no keystore in \(try keystorePath)")
        return nil
    }

    /// The keystore, opened, or created if it is missing.
    /// - Parameter rule: as for `unlock`.
    func keeperOfNewKeystore(
        _ options: NewKeystoreOptions, ifUnprotected rule: NeedlessPassphrase = .refused
    ) throws -> ThreemaKeeper { keeper(try newKeystore(options, ifUnprotected: rule)) }

    /// The same without a messenger.
    func newKeystore(
        _ options: NewKeystoreOptions, ifUnprotected rule: NeedlessPassphrase = .refused
    ) throws -> OpenKeystore {
        let path = try keystorePath
        do {
            return try unlock(LockedKeystore(at: path), options.passphrase, ifUnprotected: rule)
        } catch KeystoreError.absent {
            let passphrase = try options.newPassphrase(self)
            return try output.busy("creating the keystore") {
                switch passphrase {
                case .some(let passphrase): try .openOrCreate(at: path, passphrase: passphrase)
                case .none: try .openOrCreate(at: path)
                }
            }
        }
    }

    /// Where the key of a protected keystore may come from.
    enum KeySource {
        case passphrase
        /// The kernel's keyring if `key unlock` has left the key there, else the passphrase.
        case keyringOrPassphrase
    }

    /// What to do about a passphrase that is given for a keystore without protection.
    enum NeedlessPassphrase {
        case refused
        /// The passphrase has another use, too.
        case ignored
    }

    /// - Parameters:
    ///   - source: where the key may come from.
    ///   - rule: what to do about a passphrase that is given for a keystore without protection.
    /// - Throws: `KeystoreError.unprotected` if a passphrase is given for a keystore without protection: somebody who
    ///   can write to the directory could have put another keystore there.
    func unlock(
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
    func noteProtection(of keeper: ThreemaKeeper) { noteProtection(isProtected: keeper.isProtected) }

    func noteProtection(isProtected: Bool) {
        if !isProtected { output.note("the keystore is not protected by a passphrase") }
    }

    func keeper(_ keystore: OpenKeystore, _ limits: TimeLimits = TimeLimits()) -> ThreemaKeeper {
        ThreemaKeeper(
            keystore: keystore, now: WallClock.now, sleep: { Sleep.wait($0) }, connect: connecting(limits))
    }

    /// The same keeper with its time for all tries not begun yet: what a person takes to answer is not the server's
    /// time.
    func renewed(_ keeper: ThreemaKeeper, _ limits: TimeLimits = TimeLimits()) -> ThreemaKeeper {
        keeper.connecting(connecting(limits))
    }

    /// The way to a Safe server. Nothing is opened before the first request.
    func connecting(_ limits: TimeLimits) -> SafeKeeper.Connect {
        let progress = output.progress?.handler
        let show: HTTPExchange.Observer = { [output] request in output.note(request.line) }
        let observer = output.isVerbose ? show : nil
        let client = client
        let retry = retrying(limits)
        return { server, id in
            FolderExchange(server.address)
                ?? HTTPExchange(
                    server, for: id, by: client, timeout: limits.request, retry: retry, progress: progress,
                    observer: observer)!
        }
    }

    /// The way to a directory, for one command. Nothing is opened before the first request.
    func connectingDirectory(_ limits: TimeLimits) -> DirectoryKeeper.Connect {
        let show: @Sendable (String) -> Void = { [output] line in output.note(line) }
        let isVerbose = output.isVerbose
        let client = client
        let retry = retrying(limits)
        return { server in
            let observed: any HTTPClient =
                isVerbose ? ObservedClient(client: client, url: server.url, observe: show) : client
            return DirectoryClient(
                observed, server.endpoint(), userAgent: "keytool/\(Keytool.version)", timeout: limits.request,
                retry: retry, now: { time(nil) })
        }
    }

    private func retrying(_ limits: TimeLimits) -> RetryPolicy {
        // A person can interrupt a long wait; a job should end, and run again later.
        let longestWait = isatty(STDERR_FILENO) == 1 ? Duration.seconds(300) : .seconds(30)
        return RetryPolicy(
            total: limits.total, longestWait: longestWait, repeatsSilence: limits.repeatsSilence,
            announce: { [output] server, delay in
                output.note("no usable answer from \(server); trying again in \(Sleep.words(delay))")
            },
            sleep: { Sleep.wait($0) })
    }

    /// The identity that was named, or the only one there is.
    func identity(_ named: ThreemaID?, in keeper: ThreemaKeeper) throws -> ThreemaID {
        if let named { return named }
        return try keeper.identities.ids().onlyOne(
            "identities", named: \.text, orAbsent: KeystoreError.absent(path: try keystorePath))
    }
}
