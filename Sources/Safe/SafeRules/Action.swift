package import SafeWire

/// What is to be done next. Whoever drives the machine does it, and answers.
package enum Action: Equatable, Sendable {
    /// Ask a place's server for its limits. → `.limits`
    case askLimits(Role)
    /// Keep other writers of this machine away from a place, instead of from the one held before. → `.done`
    case hold(Role)
    /// Fetch the backup of a place. → `.found`
    case fetch(Role)
    /// Encrypt key and document for a place, with this generation. → `.sealed`
    case seal(Role, generation: Int64)
    /// Keep in the history what was last fetched from a place. → `.done`
    case keep(Role)
    /// Write down what is known, and how the places move. → `.done`
    case save(Knowledge, Shift)
    /// Store what was last sealed. → `.done`
    case store(Role, Condition)
    /// Remove the backup of a place. → `.done`
    case remove(Role, Condition)
    /// Store some random bytes under a random id. → `.done`
    case storeProbe(Role)
    /// Look for these bytes under that id. → `.probe`
    case fetchProbe(Role)
    /// Remove them. → `.done`
    case removeProbe(Role)
    /// Let this time pass. → `.done`
    case wait(Duration)
    /// Take private key and document of what was last fetched into the keystore, together with what is known. → `.done`
    case adopt(Role, Knowledge)
    /// The verb is over.
    case finish(Outcome)

    /// What a write demands of the server.
    package enum Condition: Hashable, Sendable {
        /// Only if the place still holds what was last fetched from it.
        case unchanged
        /// Nothing: the server refuses conditions that hold.
        case none
    }
}

/// What became of an action.
package enum Answer: Equatable, Sendable {
    /// The beginning: nothing was to be done yet.
    case start
    case done
    case limits(ServerLimits)
    case found(Found)
    /// Digest and length of the encrypted backup.
    case sealed(digest: Digest, bytes: Int)
    /// Whether the bytes of the probe were there.
    case probe(isThere: Bool)
    case failed(SafeExchangeError)
    case badLimits(ServerLimitsError)
}
