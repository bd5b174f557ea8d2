import Encodings
import Glibc
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

    /// The keystore's path: option, environment, systemd's state folder, XDG, home.
    var keystorePath: String {
        get throws {
            if let keystoreOption {
                guard !keystoreOption.isEmpty else { throw UsageFailure("--keystore names no folder") }
                return keystoreOption
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
    }

    /// - Throws: `KeystoreError.absent` where there is none.
    func keeper() throws -> SafeKeeper { keeper(try Keystore(at: keystorePath)) }

    /// Makes the keystore where there is none.
    func keeperOfNewKeystore() throws -> SafeKeeper { keeper(try Keystore(makingAt: keystorePath)) }

    private func keeper(_ keystore: Keystore) -> SafeKeeper {
        SafeKeeper(
            keystore: keystore,
            now: Self.now,
            connect: connect)
    }

    /// The time by the system's clock.
    @Sendable static func now() -> Timestamp {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The way to a Safe server.
    func connect(_ address: SafeServerAddress) -> any SafeExchange { FolderExchange(address) }

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
