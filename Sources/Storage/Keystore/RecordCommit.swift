internal import AtomicFiles
package import KeyWrapping
internal import Primitives
internal import SecureMemory

// The file `commit`, by which several files of one identity change at once. It is renamed into place, and at that
// moment all of them change: readers read it first, and the next process that takes the identity's lock writes out its
// changes and removes it.
//
//   offset  length  meaning
//        0       4  "KTC2"
//        4      32  BLAKE2b-256 over "KTC2" ‖ messenger and ID, each with its length in one byte before it ‖
//                   everything from offset 36 on; its key is that of a record of the name "commit"
//       36          the changes, 1 to 64, each:
//
//        0       1  1: the file gets this content; 2: the file is removed
//        1       1  length k of the name
//        2       k  name: that of a record; for a file of a place, that of the place, "/", and that of a record or
//                   "state.json"; each at most once
//    2 + k       4  length n of the content, big endian; 0 in a removal
//    6 + k       n  content: the sealed record, or the plain state
//
// The digest is keyed, so nobody else can make such a file, and it covers the owner, so the file of another identity
// does not fit. An older genuine one can be restored, as an older genuine record can.

/// The change of one file in a commit.
package struct FileChange: Equatable {
    let file: RecordFile
    /// The new content: a sealed record, or the plain state; nil to remove the file.
    let content: [UInt8]?

    package init(_ file: RecordFile, _ content: [UInt8]?) {
        self.file = file
        self.content = content
    }
}

/// Changes of the records and states of one identity, collected for `LockedIdentity.commit`.
///
/// Records are sealed when they are set, so that this value holds no plaintext. A later change of a file replaces an
/// earlier one.
public struct RecordChanges: ~Copyable {
    /// Most files that change at once.
    public static let limit = 64

    private let keystore: OpenKeystore
    let owner: Owner
    private(set) var files: [FileChange] = []

    init(of owner: Owner, keystore: OpenKeystore) {
        self.owner = owner
        self.keystore = keystore
    }

    /// Sets the content of a record.
    /// - Parameter name: of none of the keystore's own files; the process ends otherwise.
    public mutating func set(_ name: RecordName, _ content: Span<UInt8>) {
        precondition(!name.isReserved)
        change(RecordFile(name), SealedRecord.seal(content, of: owner, name, key: keystore.masterKey))
    }

    /// Removes a record. A missing record is not an error.
    public mutating func remove(_ name: RecordName) { change(RecordFile(name), nil) }

    /// Sets the state of a place, which is not sealed.
    public mutating func setState(_ state: [UInt8], of place: PlaceName) { change(.state(of: place), state) }

    /// Removes the state of a place. A missing state is not an error.
    public mutating func removeState(of place: PlaceName) { change(.state(of: place), nil) }

    private mutating func change(_ file: RecordFile, _ content: [UInt8]?) {
        files.removeAll { $0.file == file }
        files.append(FileChange(file, content))
    }
}

/// The file `commit`, parsed and authenticated.
package struct RecordCommit: ~Copyable {
    static let fileName = "commit"
    static let purpose: RecordName = "commit"
    /// Longest file, in bytes: two records of the greatest length, and 1 MiB for the rest.
    static let maxBytes = 2 * IdentityRecords.maxRecordBytes + 1024 * 1024

    private static let magic = Array("KTC2".utf8)
    private static let changesOffset = magic.count + BLAKE2b.count

    private let file: SecureBytes
    /// The changes in the order of the file; nil for a removal.
    let changes: [(file: RecordFile, content: Range<Int>?)]

    /// - Throws: `KeystoreError.damaged` if the digest does not fit or the structure is not the one above.
    init(_ file: consuming SecureBytes, of owner: Owner, key: borrowing SecureBytes) throws(KeystoreError) {
        let changes = file.withBytes { file -> [(file: RecordFile, content: Range<Int>?)]? in
            guard Self.isGenuine(file, owner, key) else { return nil }
            return Self.parse(file)
        }
        guard let changes else { throw .damaged(record: Self.purpose.text, owner: owner) }
        self.file = file
        self.changes = changes
    }

    /// The change of one file; `unchanged` if the commit does not name it.
    enum Fate: ~Copyable {
        case unchanged
        case removed
        case content(SecureBytes)
    }

    /// The places of the changed files.
    var places: Set<PlaceName> { Set(changes.compactMap(\.file.place)) }

    func fate(of file: RecordFile) -> Fate {
        guard let change = changes.first(where: { $0.file == file }) else { return .unchanged }
        guard let range = change.content else { return .removed }
        return .content(self.file.withBytes { SecureBytes(copying: $0.extracting(range)) })
    }

    /// Writes the changes out one by one, then removes the commit file. It can be repeated after any failure.
    func apply(to records: borrowing IdentityRecords) throws {
        for change in changes {
            if let range = change.content {
                try file.withBytes { try records.put(change.file, $0.extracting(range)) }
            } else {
                try records.put(change.file, nil)
            }
        }
        try records.directory.remove(Self.fileName)
    }

    // MARK: The layout

    /// Length of the file that `encode` makes.
    static func count(of files: [FileChange]) -> Int {
        files.reduce(changesOffset) { $0 + 6 + $1.file.text.utf8.count + ($1.content?.count ?? 0) }
    }

    /// Encodes and authenticates a commit file.
    /// - Parameters:
    ///   - files: 1 to 64 changes, each of another file.
    ///   - key: the keystore's master key.
    package static func encode(_ files: [FileChange], of owner: Owner, key: borrowing MasterKey) -> [UInt8] {
        precondition((1...RecordChanges.limit).contains(files.count))
        var changes: [UInt8] = []
        changes.reserveCapacity(count(of: files))
        for change in files {
            changes.append(change.content == nil ? 2 : 1)
            changes.append(UInt8(change.file.text.utf8.count))
            changes.append(contentsOf: change.file.text.utf8)
            let count = UInt32(change.content?.count ?? 0)
            for shift in [24, 16, 8, 0] { changes.append(UInt8(truncatingIfNeeded: count >> shift)) }
            changes.append(contentsOf: change.content ?? [])
        }
        return magic + digest(of: changes.span, owner, SealedRecord.recordKey(purpose, key)) + changes
    }

    private static func digest(of changes: Span<UInt8>, _ owner: Owner, _ key: borrowing SecureBytes) -> [UInt8] {
        var message = magic + Owner.lengthPrefixed([owner.messenger, owner.id])
        message.reserveCapacity(message.count + changes.count)
        // Sealed records, and states, which are not secret.
        message += changes.revealBytes()
        return BLAKE2b.authenticate(message.span, key: key)
    }

    private static func isGenuine(_ file: Span<UInt8>, _ owner: Owner, _ key: borrowing SecureBytes) -> Bool {
        guard file.count > changesOffset, SealedRecord.hasPrefix(magic, file) else { return false }
        let digest = digest(of: file.extracting(changesOffset..<file.count), owner, key)
        return ConstantTime.areEqual(digest.span, file.extracting(magic.count..<changesOffset))
    }

    /// - Returns: nil if the changes are malformed.
    private static func parse(_ bytes: Span<UInt8>) -> [(file: RecordFile, content: Range<Int>?)]? {
        var changes: [(file: RecordFile, content: Range<Int>?)] = []
        var offset = changesOffset
        while offset < bytes.count {
            guard changes.count < RecordChanges.limit, bytes.count - offset >= 2 else { return nil }
            let kind = bytes[offset]
            let nameEnd = offset + 2 + Int(bytes[offset + 1])
            guard bytes.count - nameEnd >= 4 else { return nil }
            let text = bytes.extracting(offset + 2..<nameEnd).revealBytes()
            guard let file = RecordFile(text: text), !changes.contains(where: { $0.file == file }) else { return nil }
            let count = (nameEnd..<nameEnd + 4).reduce(0) { $0 << 8 | Int(bytes[$1]) }
            let start = nameEnd + 4
            guard kind == 1 || kind == 2 && count == 0, count <= bytes.count - start else { return nil }
            changes.append((file, kind == 1 ? start..<start + count : nil))
            offset = start + count
        }
        return changes
    }
}

extension RecordFile {
    /// The name of the file in a commit file.
    var text: String { place.map { $0.text + "/" + name } ?? name }

    /// - Parameter text: the name of a record or of a place's state, as a commit file has it; not that of the commit
    ///   file itself.
    /// - Returns: nil for any other text.
    package init?(text: [UInt8]) {
        let parts = text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard let name = parts.last.map(Array.init), parts.count <= 2, name != Array(RecordCommit.fileName.utf8) else {
            return nil
        }
        if parts.count == 2 {
            guard let place = PlaceName(String(decoding: parts[0], as: UTF8.self)),
                RecordName.isRecordName(name) || name == Array(Self.stateName.utf8)
            else { return nil }
            self.init(place, String(decoding: name, as: UTF8.self))
        } else {
            guard RecordName.isRecordName(name) else { return nil }
            self.init(nil, String(decoding: name, as: UTF8.self))
        }
    }
}
