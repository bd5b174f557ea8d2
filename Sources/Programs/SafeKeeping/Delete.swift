package import SafeRules
package import SafeWire

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

    /// Deletes the Safe backup at a place, then removes the setup of the place. Other places keep theirs. A missing
    /// backup is not an error. If the process dies, the deletion is over: the next push reports it and names the two
    /// ways on. If the deletion fails, the setup stays, and the next push checks that the backup is still there.
    /// - Throws: `SafeKeepingError.noSetup`, `.refused`, `.othersLost`; `SafeExchangeError`.
    package func deleteSafe(at place: SafePlace, _ options: DeleteOptions = .init()) throws -> DeleteResult {
        let result = try run(place) { _ in Job(verb: .delete(options)) }
        try check(result, at: place)
        return DeleteResult(
            server: result.address, wasThere: result.outcome.wasRemoved, left: result.outcome.left)
    }
}
