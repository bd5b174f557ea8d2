/// The digests of the backups of one place that this keystore knows: the last 64 that it was about to send there, and
/// the last one that `safe pull` restored.
///
/// A digest is entered before the upload begins, so that a backup is known even if its acknowledgement is lost.
package struct UploadJournal: Hashable, Sendable {
    /// Most digests of uploads. The oldest one is dropped first.
    package static let capacity = 64

    /// Digests of backups that were about to be sent or were pulled, the newest last, each once.
    package private(set) var sent: [Digest]
    /// Digest of the backup that was last pulled.
    package private(set) var pulled: Digest?

    package init(sent: [Digest] = [], pulled: Digest? = nil) {
        self.sent = Array(sent.suffix(Self.capacity))
        self.pulled = pulled
    }

    package var isEmpty: Bool { sent.isEmpty && pulled == nil }

    package func contains(_ digest: Digest) -> Bool { digest == pulled || sent.contains(digest) }

    /// Whether `digest` was sent or pulled before `last`. Digests after `last` were never acknowledged.
    package func isOlder(_ digest: Digest, than last: Digest?) -> Bool {
        guard let position = sent.firstIndex(of: digest) else { return true }
        guard let lastPosition = last.flatMap(sent.firstIndex) else { return false }
        return position < lastPosition
    }

    package mutating func enterSent(_ digest: Digest) {
        sent.removeAll { $0 == digest }
        sent.append(digest)
        if sent.count > Self.capacity { sent.removeFirst(sent.count - Self.capacity) }
    }

    package mutating func enterPulled(_ digest: Digest) {
        pulled = digest
        enterSent(digest)
    }

    /// Adds the digests of `other`, if both are one place under two names.
    package mutating func merge(_ other: UploadJournal) {
        let older = other.sent.filter { !sent.contains($0) }
        sent = Array((older + sent).suffix(Self.capacity))
        pulled = pulled ?? other.pulled
    }
}
