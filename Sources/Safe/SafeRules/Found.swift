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
        /// Whether private key and document equal the keystore's.
        package var isSame: Bool
        /// Keyed digest of the document, to be compared with `PlaceState.document`. Undefined if the document was not
        /// understood.
        package var document: Digest
        /// Whether it holds another private key; false if it was not understood.
        package var isOtherKey: Bool
        /// Whether this version could read the document.
        package var isUnderstood: Bool
        /// The writer that it names. It is shown, but permits nothing.
        package var writer: Writer?
        package var contacts: Int
        package var groups: Int

        package init(
            isSame: Bool, document: Digest, isOtherKey: Bool = false, isUnderstood: Bool = true,
            writer: Writer? = nil, contacts: Int = 0, groups: Int = 0
        ) {
            self.isSame = isSame
            self.document = document
            self.isOtherKey = isOtherKey
            self.isUnderstood = isUnderstood
            self.writer = writer
            self.contacts = contacts
            self.groups = groups
        }
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
        return contents.isUnderstood
    }

    package var generation: Int64 {
        guard case .authentic(_, let contents) = self else { return 0 }
        return contents.writer?.generation ?? 0
    }
}
