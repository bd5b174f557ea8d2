package import Keystore

/// How a record of an archive relates to that of the keystore.
package struct RecordDifference: Equatable, Sendable {
    package enum Kind: String, Sendable {
        case different
        case onlyInArchive = "only_in_archive"
        case onlyInKeystore = "only_in_keystore"
        /// That of the keystore does not open.
        case damagedInKeystore = "damaged_in_keystore"
    }

    package let name: RecordName
    package let kind: Kind

    package init(_ name: RecordName, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }
}

/// How an identity of an archive relates to the keystore. Only bytes count, unless a messenger says
/// otherwise: JSON that is spelled otherwise is another record.
package enum ArchiveComparison: Equatable, Sendable {
    /// The keystore does not hold it.
    case missing
    case same
    /// At least one difference, in the order of the names.
    case differs([RecordDifference])

    /// - Parameters:
    ///   - held: the records of the keystore; nil if it does not hold the identity.
    ///   - isSame: whether a record that one or both have is no difference.
    package init(
        _ archived: RecordSet, with held: RecordSet?,
        _ isSame: ArchivedMessenger.IsSame = { $1.isEqual($0, in: $2) }
    ) {
        guard let held else {
            self = .missing
            return
        }
        let names = Set(archived.names).union(held.names).union(held.damaged).sorted(by: RecordName.isBefore)
        let differences = names.compactMap { name -> RecordDifference? in
            if held.damaged.contains(name) { return RecordDifference(name, .damagedInKeystore) }
            if isSame(name, archived, held) { return nil }
            if held.count(of: name) == nil { return RecordDifference(name, .onlyInArchive) }
            if archived.count(of: name) == nil { return RecordDifference(name, .onlyInKeystore) }
            return RecordDifference(name, .different)
        }
        self = differences.isEmpty ? .same : .differs(differences)
    }
}

/// What an import does with one identity.
package enum ImportDecision: Equatable, Sendable {
    case add
    /// The keystore has it already.
    case nothing
    case replace([RecordDifference])
    case refuse([RecordDifference])

    /// Never replaces, and never adds a record or a place to an identity that is held, unless that was asked for.
    /// - Parameter mayReplace: whether the replacement of this identity was asked for.
    package init(_ comparison: ArchiveComparison, mayReplace: Bool) {
        switch comparison {
        case .missing: self = .add
        case .same: self = .nothing
        case .differs(let differences): self = mayReplace ? .replace(differences) : .refuse(differences)
        }
    }
}
