internal import SessionStore
internal import ThreemaForwardSecurity
internal import ThreemaMessages

/// A contact with the keys that the identity shares with it.
final class Partner {
    let contact: Contact
    let parties: Parties

    init(_ contact: Contact, _ parties: consuming Parties) {
        self.contact = contact
        self.parties = parties
    }

    /// Answers the pipeline's step `.findContact`.
    func open(_ pipeline: inout IncomingPipeline) -> IncomingPipeline.Step {
        pipeline.open(keys: parties.keys, isBlocked: contact.isBlocked)
    }
}

/// The used nonces in a session store.
struct StoredNonces: UsedNonces {
    let replay: ReplayStore
    let store: OpenSessionStore

    func contains(_ digest: NonceDigest) throws(SessionStoreError) -> Bool {
        try replay.contains(digest: digest.bytes, in: store)
    }
}
