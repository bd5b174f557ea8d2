public import Encodings
public import Keystore
package import SafeRules
public import SafeWire
internal import SecureMemory
internal import Threema
internal import ThreemaSafe

/// The verbs on a keystore: each file beside this one adds one of them.
///
/// What they need from outside, the clock and the way to a server, is given here, so that every
/// interruption and every moment can be tested.
public struct SafeKeeper: Sendable {
    let keystore: OpenKeystore
    let now: @Sendable () -> Timestamp
    let connect: Connect
    let sleep: @Sendable (Duration) -> Void

    /// The way to a server, for one backup: its id may be part of the address.
    public typealias Connect = @Sendable (borrowing SafeEndpoint, BackupID) -> any SafeExchange

    /// Nothing is opened or asked yet.
    /// - Parameter sleep: lets time pass between two looks at a server.
    public init(
        keystore: OpenKeystore,
        now: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Duration) -> Void,
        connect: @escaping Connect
    ) {
        self.keystore = keystore
        self.now = now
        self.sleep = sleep
        self.connect = connect
    }

    /// The same, with another way to servers: for what is to have its own patience.
    public func connecting(_ connect: @escaping Connect) -> SafeKeeper {
        SafeKeeper(keystore: keystore, now: now, sleep: sleep, connect: connect)
    }

    /// Whether opening the keystore takes a passphrase.
    public var isProtected: Bool { keystore.isProtected }

    func connect(_ target: borrowing SafeTarget) -> any SafeExchange { connect(target.server, target.keys.backupID) }

    /// The key of the digests in `UploadState`.
    var stateKey: SecureBytes { keystore.digestKey(UploadState.digestPurpose) }
}

/// What a verb refuses by its own rules. Errors of the rooms below (`KeystoreError`, `FileError`,
/// `IDBackupError`, `SafeBackupError`, `SafeExchangeError`, …) pass through as they are.
package enum SafeKeepingError: Error, Equatable, Sendable {
    /// The keystore holds this identity with another private key.
    case otherKey(id: String)
    /// What was opened is not what was expected.
    case unexpected(Expectation)
    case noSetup(id: String)
    case setupExists(id: String)
    /// The new password and server are the present ones.
    case sameTarget(id: String)
    /// The Safe password is not the one whose key the setup holds.
    case wrongPassword(id: String)
    /// The server has nothing under the backup id of this ID and password.
    case noBackup(id: String, server: String, isFromPassword: Bool)
    /// `config` is not that of a Safe server.
    case badLimits(ServerLimitsError)
    /// A place takes less than the backup has; nothing was sent there.
    case tooLarge(Role, bytes: Int, limit: Int, pictureBytes: Int, isChangeUnfinished: Bool)
    /// The server did not return what was stored there for a test.
    case notVerified(server: String)
    /// The rules of the Safe say no; `server` is the address of the present place.
    case refused(SafeFailure, id: String, server: String, isChangeUnfinished: Bool = false)

    /// What was compared.
    package enum Expectation: Sendable {
        case id
        case publicKey
        case checkWord
    }
}
