internal import AtomicFiles
public import SecureMemory

/// The records of one identity, in a directory named by its ID:
///
///     NAME               0600   sealed record
///     places/PLACE/      0700   what belongs to one place, for example to one backup of the identity:
///       NAME             0600   sealed record
///       state.json       0600   plain; what is lost with it is only convenience
///       success          0600   empty; its time is that of the last success
///       history/         0700   earlier backups, see `History`
///     commit             0600   changes of several of these files at once, see `RecordCommit`; there only until they
///                               are written out
///     lock               0600   held while records are changed
///
/// Each read sees all changes of a commit, or none.
public struct IdentityRecords: ~Copyable {
    /// Longest record that is read, in bytes.
    static let maxRecordBytes = 16 * 1024 * 1024
    /// Longest state that is read, in bytes: that of a history of thousands of backups.
    static let maxStateBytes = 1024 * 1024
    static let placesName = "places"
    static let successName = "success"

    /// The messenger and the ID that these records belong to.
    public let owner: Owner
    let directory: Directory
    let keystore: OpenKeystore

    /// Whether a record of that name exists. It may be damaged.
    /// - Throws: `KeystoreError.damaged` for a commit file that is not authentic; `FileError`.
    public func contains(_ name: RecordName) throws -> Bool {
        switch try fate(of: RecordFile(name)) {
        case .unchanged: try within(name.place) { try $0.contains(name.text) } ?? false
        case .removed: false
        case .content: true
        }
    }

    /// Decrypts a record.
    /// - Returns: nil if the record does not exist.
    /// - Throws: `KeystoreError.damaged`; `FileError`.
    public func read(_ name: RecordName) throws -> SecureBytes? {
        guard let record = try file(RecordFile(name), limit: Self.maxRecordBytes) else { return nil }
        return try record.withBytes { (record) throws(KeystoreError) in try open(record, name) }
    }

    /// The time that `setTimeOfSuccess` last set, in milliseconds since the epoch; nil if it was never set.
    ///
    /// Earlier versions had one place, and set the time of the identity's lock. That time is used for the place `main`
    /// until it has one of its own. A lock that no success has marked has the time of its creation.
    package func timeOfSuccess(of place: PlaceName) throws -> Int64? {
        let marked = try within(place) { try $0.modificationTime(of: Self.successName) } ?? nil
        guard marked == nil, place == .main else { return marked }
        return try directory.modificationTime(of: LockedKeystore.lockName)
    }

    /// The state of a place; nil if the file is missing or longer than 1 MiB. The state is not sealed. The caller must
    /// do without a missing one.
    /// - Throws: `FileError` if it is not a plain file of this account; `KeystoreError.damaged` for a commit file that
    ///   is not authentic.
    public func readState(of place: PlaceName) throws -> SecureBytes? {
        do {
            return try file(.state(of: place), limit: Self.maxStateBytes)
        } catch FileError.tooLarge {
            return nil
        }
    }

    /// Opens a record of this identity.
    /// - Parameter fileName: nil for the record's name.
    func open(
        _ record: Span<UInt8>, _ name: RecordName, fileName: String? = nil
    ) throws(KeystoreError) -> SecureBytes {
        try SealedRecord.open(record, of: owner, name, fileName: fileName, key: keystore.masterKey)
    }

    /// The content of a file after an unfinished commit; nil if the file does not exist.
    private func file(_ file: RecordFile, limit: Int) throws -> SecureBytes? {
        switch try fate(of: file) {
        case .unchanged: return try within(file.place) { try $0.readIfPresent(file.name, limit: limit) } ?? nil
        case .removed: return nil
        case .content(let content): return content
        }
    }

    private func fate(of file: RecordFile) throws -> RecordCommit.Fate {
        switch try unfinishedCommit() {
        case .some(let commit): commit.fate(of: file)
        case .none: .unchanged
        }
    }

    /// The commit that a killed or failed process left.
    /// - Returns: nil if no commit is unfinished.
    func unfinishedCommit() throws -> RecordCommit? {
        let file = try directory.readIfPresent(RecordCommit.fileName, limit: RecordCommit.maxBytes)
        guard let file else { return nil }
        return try RecordCommit(file, of: owner, key: keystore.digestKey(RecordCommit.purpose))
    }

    // MARK: Places

    /// Lends the directory of a place; for nil that of the identity.
    /// - Returns: nil without calling `body` if the place has no directory.
    func within<Result: ~Copyable>(
        _ place: PlaceName?, _ body: (borrowing Directory) throws -> Result
    ) throws -> Result? {
        guard let place else { return try body(directory) }
        guard let places = try directory.directoryIfPresent(Self.placesName),
            let inner = try places.directoryIfPresent(place.text)
        else { return nil }
        return try body(inner)
    }

    /// Lends the directory of a place, and creates it if it is missing.
    func making<Result: ~Copyable>(
        _ place: PlaceName?, _ body: (borrowing Directory) throws -> Result
    ) throws -> Result {
        if let place {
            if try !directory.contains(Self.placesName) { try directory.makeDirectory(Self.placesName) }
            let places = try directory.directory(Self.placesName)
            if try !places.contains(place.text) { try places.makeDirectory(place.text) }
        }
        guard let result = try within(place, body) else { throw FileError.missing(path: directory.path) }
        return result
    }

    /// Refuses directories in which no file can be created: that of the identity, and those of a place.
    func requireWritable(at place: PlaceName) throws {
        try directory.requireWritable()
        let hasPlace: Void? = try within(place) { try $0.requireWritable() }
        if hasPlace == nil { try directory.directoryIfPresent(Self.placesName)?.requireWritable() }
        _ = try withHistory(of: place) { try $0.requireWritable() }
    }

    /// The places that have a record of this name, in byte order.
    /// - Throws: `KeystoreError.damaged` for a commit file that is not authentic; `FileError`.
    public func places(having name: RecordName) throws -> [PlaceName] {
        try places { records, place in try records.contains(name.at(place)) }
    }

    /// The places that fit, including those of an unfinished commit.
    private func places(
        where fits: (borrowing IdentityRecords, PlaceName) throws -> Bool
    ) throws -> [PlaceName] {
        var places = Set(try self.places())
        switch try unfinishedCommit() {
        case .some(let commit): places.formUnion(commit.places)
        case .none: break
        }
        return try places.sorted { $0.text < $1.text }.filter { try fits(self, $0) }
    }

    /// The places that have a state, also without any record, in byte order.
    /// - Throws: as `places(having:)`.
    public func placesWithState() throws -> [PlaceName] {
        try places { records, place in try records.readState(of: place) != nil }
    }

    /// The places whose history holds a backup, in byte order.
    /// - Throws: as `places(having:)`.
    public func placesWithHistory() throws -> [PlaceName] {
        try places { records, place in try !records.history(of: place).isEmpty }
    }

    /// The places with a directory, in byte order.
    func places() throws(FileError) -> [PlaceName] {
        guard let places = try directory.directoryIfPresent(Self.placesName) else { return [] }
        return try places.names().compactMap(PlaceName.init)
    }
}

/// A file of an identity: directly in its directory, or in that of a place.
package struct RecordFile: Hashable {
    static let stateName = "state.json"

    let place: PlaceName?
    let name: String

    init(_ place: PlaceName?, _ name: String) {
        self.place = place
        self.name = name
    }

    package init(_ name: RecordName) { self.init(name.place, name.text) }

    package static func state(of place: PlaceName) -> RecordFile { RecordFile(place, stateName) }
}

extension Directory {
    /// - Returns: nil if the file does not exist.
    func readIfPresent(_ name: String, limit: Int) throws(FileError) -> SecureBytes? {
        do throws(FileError) {
            return try read(name, limit: limit)
        } catch .missing {
            return nil
        } catch {
            throw error
        }
    }

    /// - Returns: nil if the directory does not exist.
    func directoryIfPresent(_ name: String) throws(FileError) -> Directory? {
        do throws(FileError) {
            return try directory(name)
        } catch .missing {
            return nil
        } catch {
            throw error
        }
    }
}
