package import Encodings

/// What is known of the backup at one place: a server and a backup id.
package struct PlaceState: Hashable, Sendable {
    // MARK: Of the present, not remembered

    /// Keyed digest of the document as the keystore holds it now; to be compared with `content`.
    package var document: Digest
    /// The backup id: two places with one id can be one place under two names.
    package var backup: Digest

    // MARK: Remembered

    package var journal = UploadJournal()
    /// Digest of the backup that lies there as far as is known: the last one that was acknowledged, or pulled. Nil
    /// before the first and after a deletion: then no backup is expected there.
    package var last: Digest?
    /// Keyed digest of the document at the last upload.
    package var content: Digest?
    package var uploadedAt: Timestamp?
    /// When it was last seen there as it was uploaded.
    package var seenAt: Timestamp?
    /// Until when the server asked to wait.
    package var notBefore: Timestamp?
    /// Until when a request that was never answered may still arrive.
    package var lookUntil: Timestamp?
    /// Whether the last upload did not end well, or did not end.
    package var hasFailed = false
    /// What a look found that is not the backup that was last uploaded; nil after a look that found it.
    package var finding: Finding?
    package var retentionDays: Int64 = 0
    /// The highest generation that was seen.
    package var generation: Int64 = 0
    /// Contacts in the document at the last upload.
    package var contacts: Int64 = 0
    /// Whether the server refuses a write whose condition does not hold; nil if that was never tried.
    package var honoursConditions: Bool?
    /// When a person last proved to know the Safe password.
    package var passwordProvenAt: Timestamp?

    package init(document: Digest, backup: Digest) {
        self.document = document
        self.backup = backup
    }

    /// Whether a backup is expected there.
    package var expectsBackup: Bool { last != nil }

    /// What the decision needs to know.
    package var past: UploadDecision.Past {
        UploadDecision.Past(
            isUnchanged: content == document, hasFailed: hasFailed, lastUpload: uploadedAt, lastSeen: seenAt,
            notBefore: notBefore, retentionDays: retentionDays, hasFinding: finding != nil, lookUntil: lookUntil)
    }

    /// What was found there is taken into the profile: from now on it is the backup that was last seen.
    /// - Parameter retentionDays: nil if the server did not say: nobody knows how long it keeps the backup, so the
    ///   next push uploads.
    package mutating func take(
        _ digest: Digest, _ contents: Found.Contents, retentionDays: Int?, at now: Timestamp
    ) {
        journal.enterPulled(digest)
        last = digest
        content = contents.document
        document = contents.document
        seenAt = now
        uploadedAt = nil
        if let retentionDays {
            // An app's backup does not say when it was uploaded.
            uploadedAt = contents.writer?.writtenAt
            self.retentionDays = Int64(retentionDays)
        }
        generation = max(generation, contents.writer?.generation ?? 0)
        contacts = Int64(contents.contacts)
        finding = nil
        hasFailed = false
    }

    /// A deletion: no backup is expected there any more. What was ever sent stays known.
    package mutating func forgetUpload() {
        last = nil
        content = nil
        uploadedAt = nil
        seenAt = nil
        finding = nil
        hasFailed = false
        contacts = 0
    }
}

/// What a look at a place found instead of the backup that was last uploaded there.
package enum Finding: String, Hashable, Sendable {
    case missing
    /// It does not authenticate.
    case damaged
    /// Somebody else has written it.
    case foreign
    /// An earlier backup of this keystore: somebody put it back.
    case older
    /// Something was done that may have removed it, and no look came after that.
    case unproven
}
