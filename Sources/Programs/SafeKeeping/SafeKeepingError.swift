package import SafeRules
package import SafeWire

/// Why an operation of this room failed. Errors of the rooms below (`KeystoreError`, `FileError`, `IDBackupError`,
/// `SafeBackupError`, `SafeExchangeError`, …) are passed on unchanged.
package enum SafeKeepingError: Error, Equatable, Sendable {
    /// The keystore holds this identity with another private key.
    case otherKey(id: String)
    /// An opened code is not the expected one.
    case unexpected(Expectation)
    case noSetup(id: String)
    case setupExists(id: String, place: String = "main")
    /// The identity has as many places as are possible.
    case tooManyPlaces(id: String, limit: Int)
    /// The places of the identity have different Safe keys, so it is not clear which one to share.
    case differentKeys(id: String)
    /// The server is that of another place of the identity.
    case samePlace(id: String, place: String)
    /// After a backup was deleted, those at other places of the identity were missing, too.
    case othersLost(id: String, places: [String], areRestored: Bool)
    /// The new password and server are equal to the present ones.
    case sameTarget(id: String)
    /// The Safe password does not fit the stored key.
    case wrongPassword(id: String, isReadOnly: Bool)
    /// The server has no backup under the id of this ID and password.
    case noBackup(id: String, server: String, isFromPassword: Bool)
    /// The history has no backup of this number.
    case noSuchEntry(id: String, number: Int, count: Int)
    /// `config` is not that of a Safe server.
    case badLimits(ServerLimitsError)
    /// The backup exceeds the limit of a place; nothing was sent there.
    case tooLarge(Role, bytes: Int, limit: Int, pictureBytes: Int, isChangeUnfinished: Bool)
    /// The server did not return the stored bytes of a test.
    case notVerified(server: String)
    /// The rules of the Safe refuse it. `server` is the address of the current place.
    case refused(SafeFailure, id: String, server: String, stage: SetupStage = .usual)

    /// The compared value.
    package enum Expectation: Sendable {
        case id
        case publicKey
        case checkWord
    }
}
