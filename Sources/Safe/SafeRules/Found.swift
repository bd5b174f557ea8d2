package import Encodings

/// The result of fetching a place's backup.
package enum Found: Hashable, Sendable {
    case nothing
    /// Bytes that do not authenticate under the Safe key.
    case unauthentic(digest: Digest)
    /// More bytes than are read. They cannot be judged, and not stored in the history.
    case tooLong
    /// Bytes that were sealed with the Safe key.
    case authentic(digest: Digest, Contents)

    /// The contents of an authentic backup.
    package struct Contents: Hashable, Sendable {
        package var relation: Relation
        /// Keyed digest of the document, to be compared with `PlaceState.document`. Undefined if the document was not
        /// understood.
        package var document: Digest
        /// The writer that it names. It is shown, but permits nothing.
        package var writer: Writer?
        package var contacts: Int
        package var groups: Int

        package init(
            _ relation: Relation, document: Digest, writer: Writer? = nil, contacts: Int = 0, groups: Int = 0
        ) {
            self.relation = relation
            self.document = document
            self.writer = writer
            self.contacts = contacts
            self.groups = groups
        }
    }

    /// How a backup differs from the keystore.
    package enum Relation: Hashable, Sendable {
        /// Private key and document are equal.
        case same
        /// The private key is equal, the document is not, or is not compared.
        case otherDocument
        case otherKey
        /// This version could not read the document.
        case notUnderstood
    }

    /// The writer info that a backup claims.
    package struct Writer: Hashable, Sendable {
        package var isThisKeystore: Bool
        package var generation: Int64
        package var writtenAt: Timestamp

        package init(isThisKeystore: Bool, generation: Int64, writtenAt: Timestamp) {
            self.isThisKeystore = isThisKeystore
            self.generation = generation
            self.writtenAt = writtenAt
        }
    }

    package var digest: Digest? {
        switch self {
        case .nothing, .tooLong: nil
        case .unauthentic(let digest), .authentic(let digest, _): digest
        }
    }

    /// False for an authentic backup that this version cannot read.
    package var isUnderstood: Bool {
        guard case .authentic(_, let contents) = self else { return true }
        return contents.relation != .notUnderstood
    }

    package var generation: Int64 {
        guard case .authentic(_, let contents) = self else { return 0 }
        return contents.writer?.generation ?? 0
    }
}
