package import SafeRules
package import SafeWire
package import Threema

extension SafeKeeper {
    /// How to delete.
    package typealias DeleteOptions = SafeVerb.Delete

    /// What a deletion led to.
    package struct DeleteResult: Equatable, Sendable {
        /// Where the backup was, or still is.
        package let server: SafeServerAddress
        /// Whether a backup was there.
        package let wasThere: Bool
        /// The places that still hold a backup, and why.
        package let left: [Outcome.Left]
    }

    /// Deletes the Safe backup of an identity from its server, then forgets the setup. A backup that is not there is no
    /// error. A deletion whose process dies is over: the next push says so and names the two ways on. One that fails
    /// leaves the setup, and the next push looks whether the backup is still there.
    /// - Throws: `SafeKeepingError.noSetup`, `.refused`; `SafeExchangeError`.
    package func deleteSafe(of id: ThreemaID, _ options: DeleteOptions = .init()) throws -> DeleteResult {
        let result = try run(.delete(options), of: id)
        try check(result, of: id)
        return DeleteResult(
            server: result.address, wasThere: result.outcome.wasRemoved, left: result.outcome.left)
    }
}
