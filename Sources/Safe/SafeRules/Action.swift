package import SafeWire

/// The next action. The driver of the machine carries it out and returns an `Answer`.
package enum Action: Equatable, Sendable {
    /// Fetch the limits of a place's server. → `.limits`
    case askLimits(Role)
    /// Lock a place against other writers on this machine, and release the place that was locked before. → `.done`
    case hold(Role)
    /// Fetch the backup of a place. → `.found`
    case fetch(Role)
    /// Encrypt key and document for a place, with this generation. → `.sealed`
    case seal(Role, generation: Int64)
    /// Store in the history what was last fetched from a place. → `.done`
    case keep(Role)
    /// Remove the mirrored backups from a place's history that are not to stay. Best effort. → `.done`
    case thin(Role, Retention)
    /// Save what is known, and move the places. → `.done`
    case save(Knowledge, Shift)
    /// Store the last sealed backup. → `.done`
    case store(Role, Condition)
    /// Remove the backup of a place. → `.done`
    case remove(Role, Condition)
    /// Store random bytes under a random id. → `.done`
    case storeProbe(Role)
    /// Fetch these bytes by that id. → `.probe`
    case fetchProbe(Role)
    /// Remove them. → `.done`
    case removeProbe(Role)
    /// Wait for this time. → `.done`
    case wait(Duration)
    /// Store private key and document of the last fetched backup in the keystore, together with what is known. Before
    /// that, store the present ones in the history, sealed with this generation, unless it is nil. → `.done`
    case adopt(Role, Knowledge, keeping: Int64?)
    /// The verb is over.
    case finish(Outcome)

    /// The condition of a write.
    package enum Condition: Hashable, Sendable {
        /// The place still holds what was last fetched from it.
        case unchanged
        /// No condition, because the server refuses conditions that hold.
        case none
    }
}

/// The result of an action.
package enum Answer: Equatable, Sendable {
    /// The first answer, before any action.
    case start
    case done
    case limits(ServerLimits)
    case found(Found)
    /// Digest and length of the encrypted backup.
    case sealed(digest: Digest, bytes: Int)
    /// Whether the bytes of the probe were found.
    case probe(isThere: Bool)
    case failed(SafeExchangeError)
    case badLimits(ServerLimitsError)
}
