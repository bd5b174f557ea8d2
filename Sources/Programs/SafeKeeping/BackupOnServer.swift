internal import Keystore
internal import SafeRules
internal import SafeWire
internal import Threema
internal import ThreemaRecords
package import ThreemaSafe

extension SafeKeeper {
    /// Opens the backup on the server, which is read as by `SafeKeeper.look`: a loss that is found is saved, and the
    /// backup does not become known.
    /// - Throws: `SafeKeepingError.noSetup`, `.noBackup`, `.badLimits`, `.refused(.tooLong)`; for a setup for reading
    ///   only `.refused(.mirror(.absent))`, `.refused(.mirror(.tooLong))`; `SafeExchangeError`; `SafeBackupError`.
    package func backup(at place: SafePlace) throws -> SafeBackup {
        let result = try run(place, use: .reading) { _ in Job(verb: .check) }
        switch result.outcome.failure {
        case .exchange, .badLimits, .tooLong, .mirror(.tooLong), .mirror(.absent): try check(result, at: place)
        default: break
        }
        guard let bytes = result.bytes else {
            throw SafeKeepingError.noBackup(id: place.id.text, server: result.address.text, isFromPassword: false)
        }
        let target = try keystore.identity(.threema(place.id)).requiredSetup(at: place.name).current.copy
        return try SafeBackup.open(bytes.span, keys: target.keys)
    }
}
