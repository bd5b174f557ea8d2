package import SafeRules
package import SafeWire
package import Threema

extension SafeKeeper {
    /// The options of a deletion.
    package typealias DeleteOptions = SafeVerb.Delete

    /// The result of a deletion.
    package struct DeleteResult: Equatable, Sendable {
        /// The server of the backup.
        package let server: SafeServerAddress
        /// Whether the server had a backup.
        package let wasThere: Bool
        /// The places that still hold a backup, with the reasons.
        package let left: [Outcome.Left]
    }

    /// Deletes the Safe backup of an identity from its server, then removes the setup. A missing backup is not an
    /// error. If the process dies, the deletion is over: the next push reports it and names the two ways on. If the
    /// deletion fails, the setup stays, and the next push checks that the backup is still there.
    /// - Throws: `SafeKeepingError.noSetup`, `.refused`; `SafeExchangeError`.
    package func deleteSafe(of id: ThreemaID, _ options: DeleteOptions = .init()) throws -> DeleteResult {
        let result = try run(.delete(options), of: id)
        try check(result, of: id)
        return DeleteResult(
            server: result.address, wasThere: result.outcome.wasRemoved, left: result.outcome.left)
    }
}
