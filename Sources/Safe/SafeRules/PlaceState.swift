package import Encodings
package import ObservedTime

/// The state of one place, which is a server and a backup id.
package struct PlaceState: Hashable, Sendable {
    // MARK: Of the present, not remembered

    /// Keyed digest of the keystore's present document, to be compared with `content`.
    package var document: Digest
    /// Keyed digest of the backup id. Two places with the same id can be one place under two names.
    package var backup: Digest

    // MARK: Remembered

    package var journal = UploadJournal()
    /// Digest of the backup that is expected there: the last one whose upload was acknowledged, or that was pulled. Nil
    /// before the first upload and after a deletion.
    package var last: Digest?
    /// Keyed digest of the document at the last upload.
    package var content: Digest?
    package var uploadedAt: Timestamp?
    /// When that backup was last seen there.
    package var seenAt: Timestamp?
    /// When that backup was last known to be there, because it was uploaded or seen: for alarms.
    package var knownAt: ObservedTimestamp?
    /// When the place last held the keystore's document because of this keystore: a push succeeded, or a pull took the
    /// backup. A look does not change it.
    package var pushedAt: ObservedTimestamp?
    /// Length of that backup in bytes; 0 if it is not known.
    package var bytes: Int64 = 0
    /// Until when the server asked to wait.
    package var notBefore: Timestamp?
    /// Until when a request that was never answered may still arrive.
    package var lookUntil: Timestamp?
    /// Whether the last upload failed or was interrupted.
    package var hasFailed = false
    /// What the last look found instead of the expected backup; nil if it found that one.
    package var finding: Finding?
    package var retentionDays: Int64 = 0
    /// The highest generation that was seen.
    package var generation: Int64 = 0
    /// Contacts in the document at the last upload.
    package var contacts: Int64 = 0
    /// Whether the server refuses a write whose condition does not hold; nil if that was not tested.
    package var honoursConditions: Bool?
    /// Whether the change to this place was cancelled, and its backup is still to be deleted.
    package var isAbandoned = false
    /// When a person last entered the right Safe password.
    package var passwordProvenAt: Timestamp?
    /// What `mirror` remembers; nil if nothing was ever mirrored.
    package var mirror: MirrorState?

    package init(document: Digest, backup: Digest) {
        self.document = document
        self.backup = backup
    }

    /// Whether a backup is expected there.
    package var expectsBackup: Bool { last != nil }

    /// The input of the upload decision.
    package var past: UploadDecision.Past {
        var signs: UploadDecision.Signs = []
        if content == document { signs.insert(.unchanged) }
        if hasFailed { signs.insert(.failed) }
        if finding != nil { signs.insert(.finding) }
        // After an earlier backup was restored here, the upload of the later one does not defer that of this one.
        return UploadDecision.Past(
            signs, lastUpload: content == nil ? nil : uploadedAt, lastSeen: seenAt, notBefore: notBefore,
            retentionDays: retentionDays,
            lookUntil: lookUntil)
    }

    /// Records that the backup that was found was taken into the profile, and is expected there from now on.
    /// - Parameter retentionDays: nil if the server did not say. Then the next push uploads.
    package mutating func take(
        _ digest: Digest, _ contents: Found.Contents, retentionDays: Int?, at now: ObservedTimestamp
    ) {
        // What was uploaded from here stays that, if it is read back.
        if digest != last { journal.enterPulled(digest) }
        last = digest
        content = contents.document
        document = contents.document
        see(at: now)
        pushedAt = now
        uploadedAt = nil
        if let retentionDays {
            // The backup of an app does not say when it was uploaded.
            uploadedAt = contents.writer?.writtenAt
            self.retentionDays = Int64(retentionDays)
        }
        generation = max(generation, contents.writer?.generation ?? 0)
        contacts = Int64(contents.contacts)
        // Only a mirror tells whether the lost contacts are accepted.
        if finding != .lossy { finding = nil }
        hasFailed = false
    }

    /// Records that the expected backup is there.
    package mutating func see(at now: ObservedTimestamp) {
        seenAt = now.wall
        knownAt = now
    }

    /// Records a deletion: no backup is expected there any more. The journal stays.
    package mutating func forgetUpload() {
        last = nil
        content = nil
        uploadedAt = nil
        seenAt = nil
        knownAt = nil
        pushedAt = nil
        bytes = 0
        finding = nil
        hasFailed = false
        contacts = 0
    }
}

/// What a look at a place found instead of the expected backup.
package enum Finding: String, Hashable, Sendable {
    case missing
    /// It does not authenticate.
    case damaged
    /// A foreign backup.
    case foreign
    /// An earlier backup of this keystore, which was restored.
    case older
    /// The backup may have been removed, and no look followed yet.
    case unproven
    /// A mirrored backup that has lost over half of its contacts.
    case lossy
}
