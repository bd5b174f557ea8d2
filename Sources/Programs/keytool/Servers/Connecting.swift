import CommandLine
import HTTP
import AtomicFiles
import CommandParsing
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

extension Session {
    /// Keeps connections open until the command ends.
    private static let client = CurlClient()

    /// The keystore, opened; its passphrase is asked for where it is needed and no source gives it.
    /// - Throws: `KeystoreError.absent` if there is no keystore.
    func keeper(
        _ passphrase: SecretOptions<KeystorePassphrase>, _ limits: TimeLimits = TimeLimits()
    ) throws -> ThreemaKeeper {
        keeper(try keystore(passphrase), limits)
    }

    /// The same.
    /// - Returns: nil if there is no keystore.
    func keeperIfPresent(_ passphrase: SecretOptions<KeystorePassphrase>) throws -> ThreemaKeeper? {
        do { return try keeper(passphrase) } catch KeystoreError.absent { return nil }
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

    /// Prints a note if the keystore is not protected by a passphrase.
    func noteProtection(of keeper: ThreemaKeeper) { noteProtection(isProtected: keeper.isProtected) }

    func keeper(_ keystore: OpenKeystore, _ limits: TimeLimits = TimeLimits()) -> ThreemaKeeper {
        ThreemaKeeper(
            keystore: keystore, now: WallClock.now, sleep: { Sleep.wait($0) },
            connect: connecting(limits, servers(of: OnPremKeeper(keystore: keystore, now: WallClock.now))))
    }

    /// The same keeper with its time for all tries not begun yet: what a person takes to answer is not the server's
    /// time.
    /// - Parameter isMoving: whether a Safe is just moved away from its server, so that nobody has to be told to.
    func renewed(
        _ keeper: ThreemaKeeper, _ limits: TimeLimits = TimeLimits(), isMoving: Bool = false
    ) -> ThreemaKeeper {
        keeper.connecting(connecting(limits, servers(of: keeper.onPrem, isMoving: isMoving)))
    }

    /// The servers that provisioning files of the keystore name. What is told of the files goes to stderr.
    func servers(of keeper: OnPremKeeper, isMoving: Bool = false) -> OnPremServers {
        OnPremServers(keeper, client: Self.client) { [output] news in
            if case .otherSafe = news, isMoving { return }
            news.tell(output)
        }
    }

    /// Fetches a provisioning file.
    func fetch(
        _ source: OnPremSource, _ login: borrowing Login?
    ) throws(OnPremFetchFailure) -> [UInt8] {
        do throws(OnPremFetchError) {
            return try source.fetch(login, by: Self.client, timeout: .seconds(30))
        } catch {
            throw OnPremFetchFailure(url: source.url, error: error)
        }
    }

    /// The way to a Safe server. Nothing is opened before the first request.
    /// - Parameter servers: those of the keystore's provisioning files; nil if no keystore is open.
    func connecting(_ limits: TimeLimits, _ servers: OnPremServers? = nil) -> SafeKeeper.Connect {
        let progress = output.progress?.handler
        let show: HTTPExchange.Observer = { [output] request in output.note(request.line) }
        let observer = output.isVerbose ? show : nil
        let client = Self.client
        let retry = retrying(limits)
        return { server, id in
            FolderExchange(server.address, lockWait: limits.lock)
                ?? HTTPExchange(
                    server, for: id, by: servers?.client(for: server.onPrem, .safe) ?? client, timeout: limits.request,
                    retry: retry, progress: progress, observer: observer)!
        }
    }

    /// The way to a directory, for one command. Nothing is opened before the first request.
    /// - Parameter servers: as for `connecting`.
    func connectingDirectory(_ limits: TimeLimits, _ servers: OnPremServers? = nil) -> DirectoryKeeper.Connect {
        let show: @Sendable (String) -> Void = { [output] line in output.note(line) }
        let isVerbose = output.isVerbose
        let client = Self.client
        let retry = retrying(limits)
        return { server in
            let own = servers?.client(for: server.onPrem, .directory) ?? client
            let observed: any HTTPClient =
                isVerbose ? ObservedClient(client: own, url: server.url, observe: show) : own
            return DirectoryClient(
                observed, server.endpoint(), userAgent: "keytool/\(Release.version)", timeout: limits.request,
                retry: retry, now: { time(nil) })
        }
    }

    /// Refuses a place behind https:// without libcurl, before anything is asked for. A setup that is damaged says so
    /// where it is used.
    func requireClient(for place: SafePlace, in keeper: ThreemaKeeper) throws {
        let address: SafeServerAddress
        do { address = try keeper.safe.server(of: place).address } catch { return }
        try ServerOptions.requireLibrary(address)
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

    /// The identity that was named, or the only one there is, with the keystore that holds it.
    func open(
        _ named: ThreemaID?, _ keystore: KeystoreOptions, _ limits: TimeLimits = TimeLimits()
    ) throws -> (keeper: ThreemaKeeper, id: ThreemaID) {
        let keeper = try keeper(keystore.passphrase, limits)
        return (keeper, try identity(named, in: keeper))
    }

    /// The identity that was named, or the only one there is.
    func identity(_ named: ThreemaID?, in keeper: ThreemaKeeper) throws -> ThreemaID {
        if let named { return named }
        return try keeper.identities.ids().onlyOne(
            "identities", named: \.text, orAbsent: KeystoreError.absent(path: try keystorePath))
    }
}
