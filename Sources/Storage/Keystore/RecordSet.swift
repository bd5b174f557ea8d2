internal import AtomicFiles
package import SecureMemory

/// A copy of records of one owner, opened, in guarded memory.
package final class RecordSet: Sendable {
    /// Whose records these are.
    package let owner: Owner
    /// The names, those of the owner before those of its places, in byte order.
    package let names: [RecordName]
    /// Records that were there and did not open, in the same order.
    package let damaged: [RecordName]
    private let places: [RecordName: Range<Int>]
    private let bytes: SecureBytes

    /// Copies records.
    /// - Parameters:
    ///   - records: where each one is in `bytes`.
    ///   - bytes: the caller wipes them.
    package init(of owner: Owner, _ records: [RecordName: Range<Int>], in bytes: Span<UInt8>) {
        var copy = SecureBuffer(capacity: records.values.reduce(0) { $0 + $1.count })
        var places: [RecordName: Range<Int>] = [:]
        for (name, range) in records {
            places[name] = copy.count..<copy.count + range.count
            copy.append(bytes.extracting(range))
        }
        self.owner = owner
        names = places.keys.sorted(by: RecordName.isBefore)
        damaged = []
        self.places = places
        self.bytes = copy.finish()
    }

    /// Opens the records of an identity. Another process may be changing them: `isEqual` of two copies tells.
    /// - Parameter isWanted: which ones.
    /// - Throws: `KeystoreError.damaged` for a commit file that is not authentic; `FileError`.
    package init(of records: borrowing IdentityRecords, where isWanted: (RecordName) -> Bool) throws {
        var copy = SecureBuffer(capacity: 4096)
        var places: [RecordName: Range<Int>] = [:]
        var damaged: [RecordName] = []
        for name in try records.recordNames().filter(isWanted) {
            do {
                // Nil if another process has removed it since it was listed.
                guard let content = try records.read(name) else { continue }
                copy.reserve(copy.count + content.count, limit: .max)
                places[name] = copy.count..<copy.count + content.count
                copy.append(content)
            } catch KeystoreError.damaged(name.text, records.owner, nil) {
                damaged.append(name)
            }
        }
        owner = records.owner
        names = places.keys.sorted(by: RecordName.isBefore)
        self.damaged = damaged
        self.places = places
        bytes = copy.finish()
    }

    /// The length of a record in bytes; nil if there is none of this name.
    package func count(of name: RecordName) -> Int? { places[name]?.count }

    /// The length of all records in bytes.
    package var count: Int { bytes.count }

    /// Copies a record.
    /// - Returns: nil if there is none of this name.
    package func read(_ name: RecordName) -> SecureBytes? {
        guard let range = places[name] else { return nil }
        return bytes.withBytes { SecureBytes(copying: $0.extracting(range)) }
    }

    /// Lends a record that is there.
    package func withRecord<Result: ~Copyable, E>(
        _ name: RecordName, _ body: (Span<UInt8>) throws(E) -> Result
    ) throws(E) -> Result {
        try bytes.withBytes { (bytes) throws(E) in try body(bytes.extracting(places[name]!)) }
    }

    /// Whether both have a record of this name with the same bytes. They are compared in constant time.
    package func isEqual(_ name: RecordName, in other: RecordSet) -> Bool {
        guard count(of: name) != nil, other.count(of: name) != nil else { return false }
        return withRecord(name) { ours in other.withRecord(name) { ConstantTime.areEqual(ours, $0) } }
    }

    /// Whether both have the same records, and the same damaged ones.
    package func isEqual(_ other: RecordSet) -> Bool {
        owner == other.owner && names == other.names && damaged == other.damaged
            && names.allSatisfy { isEqual($0, in: other) }
    }
}

/// Why the records of a `RecordSet` are not those of an identity, according to its messenger.
package enum RecordProblem: Error, Equatable, Sendable {
    /// The owner's ID is none of this messenger.
    case owner
    /// The messenger has no record of this name.
    case unknown(RecordName)
    /// A record is missing without which there is no identity.
    case missing(RecordName)
    /// A record has another form than the messenger writes, or belongs to another identity.
    case malformed(RecordName)
    /// There are more places than the messenger has.
    case tooManyPlaces(limit: Int)
}

extension RecordName {
    /// Whether files of another kind have this name, so that no record can.
    package var isReserved: Bool {
        [
            LockedKeystore.lockName, RecordCommit.fileName, IdentityRecords.successName, IdentityRecords.placesName,
            History.directoryName,
        ].contains(text)
    }

    /// Longest content of a record, in bytes.
    package static let maxContentBytes = IdentityRecords.maxRecordBytes - SealedRecord.overhead

    /// The order of names: those of the owner, then those of its places.
    package static func isBefore(_ left: RecordName, _ right: RecordName) -> Bool {
        (left.place?.text ?? "", left.text) < (right.place?.text ?? "", right.text)
    }
}

extension IdentityRecords {
    /// The names of the sealed records that exist, also after an unfinished commit: those of the owner, then those of
    /// its places, in byte order. Nothing is decrypted. States, histories, locks and files of another format are not
    /// among them.
    /// - Throws: `KeystoreError.damaged` for a commit file that is not authentic; `FileError`.
    package func recordNames() throws -> [RecordName] {
        var names: Set<RecordName> = []
        for place in [nil] + (try places()) {
            _ = try within(place) { directory in
                for file in try directory.names() {
                    guard let name = recordName(file, in: place) else { continue }
                    names.insert(name)
                }
            }
        }
        switch try unfinishedCommit() {
        case .some(let commit):
            for change in commit.changes {
                guard let name = recordName(change.file.name, in: change.file.place) else { continue }
                if change.content == nil { names.remove(name) } else { names.insert(name) }
            }
        case .none: break
        }
        return names.sorted(by: RecordName.isBefore)
    }

    /// - Returns: nil for what is not a record. Anything else of a record's name counts, also a link: reading it fails,
    ///   and nothing is left out without a word.
    private func recordName(_ file: String, in place: PlaceName?) -> RecordName? {
        guard let name = RecordName(Array(file.utf8)), !name.isReserved else { return nil }
        return name.at(place)
    }
}
