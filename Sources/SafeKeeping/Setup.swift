internal import Keystore
internal import Primitives
public import SafeWire
public import SecureMemory
public import Threema

extension SafeKeeper {
    /// What a setup found.
    public struct SetupResult: Equatable, Sendable {
        /// Nil where the server was not asked.
        public let limits: ServerLimits?
        /// Whether the server already holds a backup under this ID and password.
        public let backupExists: Bool
    }

    /// Sets up the Safe of an identity: derives its key once, tests the server, seals both. The password
    /// is not kept.
    /// - Parameters:
    ///   - preparing: make an empty folder a Safe server first.
    ///   - testing: ask for `config`, then store, fetch and remove a probe.
    /// - Throws: `SafeKeepingError.setupExists`, `.badLimits`, `.notVerified`; `SafeExchangeError`;
    ///   `KeyDerivationError`. Then nothing was stored here.
    public func setUpSafe(
        of id: ThreemaID, at server: consuming SafeServer, password: borrowing SecureBytes,
        preparing: Bool, testing: Bool
    ) throws -> SetupResult {
        let identity = try keystore.lockedIdentity(id.text, wait: Self.lockWait)
        guard try identity.records.setup() == nil else { throw SafeKeepingError.setupExists(id: id.text) }
        let target = try SafeTarget(server: server, password: password, id: id)
        let server = connect(target)
        if preparing { try server.prepare(.standard) }
        let limits = testing ? try Self.limits(of: server) : nil
        if testing { try Self.probe(server, target) }
        let backupExists = testing ? try server.fetch(target.keys.backupID) != nil : false
        try identity.write(SafeSetup(target.copy))
        return SetupResult(limits: limits, backupExists: backupExists)
    }

    /// The limits of a server.
    static func limits(of server: any SafeExchange) throws -> ServerLimits {
        let config: [UInt8]
        do throws(SafeExchangeError) {
            config = try server.config()
        } catch {
            if case .tooLarge = error { throw SafeKeepingError.badLimits(.notJSON) }
            throw error
        }
        do throws(ServerLimitsError) {
            return try ServerLimits(config: config.span)
        } catch {
            throw SafeKeepingError.badLimits(error)
        }
    }

    /// Stores, fetches and removes some bytes where no backup lies. The place is derived from the Safe
    /// key: it differs for every identity and tells nothing about the backup id.
    private static func probe(_ server: any SafeExchange, _ target: borrowing SafeTarget) throws {
        let place = BLAKE2b.deriveKey(from: target.keys.masterKey, salt: "probe", personal: "keytool-probe")
        let id = place.withBytes { BackupID($0) }
        let content = Random.bytes(64)
        let hold = try server.hold()
        defer { withExtendedLifetime(hold) {} }
        do {
            try server.store(content, at: id, if: .none)
            let isReturned = try server.fetch(id)?.bytes == content
            try server.remove(id, if: .none)
            guard isReturned, try server.fetch(id) == nil else {
                throw SafeKeepingError.notVerified(server: target.address.text)
            }
        } catch {
            try? server.remove(id, if: .none)
            throw error
        }
    }
}
