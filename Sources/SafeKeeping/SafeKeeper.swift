public import Encodings
public import Keystore
public import SafeWire
internal import SecureMemory
internal import Threema

/// The verbs on a keystore: each file beside this one adds one of them.
///
/// What they need from outside, the clock and the way to a server, is given here, so that every
/// interruption and every moment can be tested.
public struct SafeKeeper: Sendable {
    let keystore: Keystore
    let now: @Sendable () -> Timestamp
    let connect: Connect

    /// The way to a server, for one backup: its id may be part of the address.
    public typealias Connect = @Sendable (borrowing SafeServer, BackupID) -> any SafeExchange

    /// Nothing is opened or asked yet.
    public init(
        keystore: Keystore,
        now: @escaping @Sendable () -> Timestamp,
        connect: @escaping Connect
    ) {
        self.keystore = keystore
        self.now = now
        self.connect = connect
    }

    /// The same, with another way to servers: for what is to have its own patience.
    public func connecting(_ connect: @escaping Connect) -> SafeKeeper {
        SafeKeeper(keystore: keystore, now: now, connect: connect)
    }

    /// Whether opening the keystore takes a passphrase.
    public var isProtected: Bool { keystore.isProtected }

    func connect(_ target: borrowing SafeTarget) -> any SafeExchange { connect(target.server, target.keys.backupID) }

    /// The key of the digests in `UploadState`.
    var stateKey: SecureBytes { keystore.digestKey(UploadState.digestPurpose) }
}

/// What a verb refuses by its own rules. Errors of the rooms below (`KeystoreError`, `FileError`,
/// `IDBackupError`, `SafeBackupError`, `SafeExchangeError`, …) pass through as they are.
public enum SafeKeepingError: Error, Equatable, Sendable {
    /// The keystore holds this identity with another private key.
    case otherKey(id: String)
    /// What was opened is not what was expected.
    case unexpected(Expectation)
    case noSetup(id: String)
    /// A deletion whose process had died was to be finished first, and now is: there is no setup any more.
    case deletionFinished(id: String)
    case setupExists(id: String)
    /// A backup under an earlier password or server is still to be deleted.
    case oldBackupLeft(id: String)
    /// The new password and server are the present ones.
    case sameTarget(id: String)
    /// The server has nothing under the backup id of this ID and password.
    case noBackup(id: String, server: String, isFromPassword: Bool)
    /// `config` is not that of a Safe server.
    case badLimits(ServerLimitsError)
    case tooLarge(bytes: Int, limit: Int, pictureBytes: Int)
    /// The server asked to wait.
    case waiting(until: Timestamp)
    /// Another device has written the backup since it was last seen.
    case conflict(id: String)
    /// The server did not return what was sent.
    case notVerified(server: String)
    /// The backup is older than one that was seen: generation on the server, and here.
    case olderBackup(found: Int64, seen: Int64)
    /// The backup opens, but is not what the keystore holds.
    case differs(Difference)
    /// A push would lose over half of the contacts last uploaded.
    case losesContacts(before: Int, now: Int)
    /// The profile here has changes that were never uploaded.
    case unpushedChanges(id: String)

    /// In what a backup and the keystore differ.
    public enum Difference: Sendable {
        case privateKey
        case profile
    }

    /// What was compared.
    public enum Expectation: Sendable {
        case id
        case publicKey
        case checkWord
    }
}
