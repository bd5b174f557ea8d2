package import SafeRules
package import SafeWire

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
