internal import AtomicFiles
internal import Primitives
internal import SecureMemory

// The file `commit`, by which several files of one identity change at once. It is renamed into place whole, and that
// is the moment at which all of them change: readers look into it first, and whoever takes the identity's lock writes
// out what it holds and removes it.
//
//   offset  length  meaning
//        0       4  "KTC1"
//        4      32  BLAKE2b-256 over "KTC1" ‖ ID (8 bytes) ‖ everything from offset 36 on;
//                   its key is that of a record of the name "commit"
//       36          the changes, 1 to 16, each:
//
//        0       1  1: the file gets this content; 2: the file is removed
//        1       1  length k of the name
//        2       k  name: that of a record, or "state.json"; each at most once
//    2 + k       4  length n of the content, big endian; 0 in a removal
//    6 + k       n  content: the sealed record, or the plain state
//
// The digest is keyed, so nobody else can make such a file, and it holds the ID, so the file of another identity does
// not fit. An older genuine one can be put back, as an older genuine record can.

/// A file that is to change, and its new content; nil removes it.
struct FileChange: Equatable {
    let name: String
    let content: [UInt8]?
}

/// Changes of the records and the state of one identity, collected for `LockedIdentity.commit`.
///
/// Contents are sealed when they are set, so no plaintext is held here. A later change of the same file replaces an
/// earlier one.
public struct RecordChanges: ~Copyable {
    private let keystore: Keystore
    let id: String
    private(set) var files: [FileChange] = []

    init(id: String, keystore: Keystore) {
        self.id = id
        self.keystore = keystore
    }

    /// The record gets this content.
    public mutating func set(_ name: RecordName, _ content: Span<UInt8>) {
        change(name.text, keystore.seal(content, id: id, name: name))
    }

    /// The record is removed; one that does not exist is fine.
    public mutating func remove(_ name: RecordName) { change(name.text, nil) }

    /// The state gets this content.
    public mutating func setState(_ state: [UInt8]) { change(IdentityRecords.stateName, state) }

    /// The state is removed; one that does not exist is fine.
    public mutating func removeState() { change(IdentityRecords.stateName, nil) }

    private mutating func change(_ name: String, _ content: [UInt8]?) {
        files.removeAll { $0.name == name }
        files.append(FileChange(name: name, content: content))
    }
}

/// The file `commit`, parsed and found genuine.
struct RecordCommit: ~Copyable {
    static let fileName = "commit"
    static let purpose: RecordName = "commit"
    /// Longest file that is written or read: two records of the greatest length, and what else belongs to them.
    static let maxBytes = 2 * IdentityRecords.maxRecordBytes + 1024 * 1024

    private static let magic = Array("KTC1".utf8)
    private static let changesOffset = magic.count + BLAKE2b.count
    private static let maxChanges = 16

    private let file: SecureBytes
    /// In the order of the file; nil for a removal.
    let changes: [(name: String, content: Range<Int>?)]

    /// - Throws: `KeystoreError.damaged` if the digest does not fit or the structure is not the one above.
    init(_ file: consuming SecureBytes, id: String, key: borrowing SecureBytes) throws(KeystoreError) {
        let changes = file.withBytes { Self.parse($0, id, key) }
        guard let changes else { throw .damaged(record: Self.purpose.text, id: id) }
        self.file = file
        self.changes = changes
    }

    /// What becomes of a file; `unchanged` if the commit does not name it.
    enum Fate: ~Copyable {
        case unchanged
        case removed
        case content(SecureBytes)
    }

    func fate(of name: String) -> Fate {
        guard let change = changes.first(where: { $0.name == name }) else { return .unchanged }
        guard let range = change.content else { return .removed }
        return .content(file.withBytes { SecureBytes(copying: $0.extracting(range)) })
    }

    /// Writes the changes out one by one, then removes the commit file. May be repeated after any failure.
    func apply(in folder: borrowing Folder) throws(FileError) {
        for change in changes {
            if let range = change.content {
                try file.withBytes { (file) throws(FileError) in
                    try folder.write(change.name, file.extracting(range))
                }
            } else {
                try folder.remove(change.name)
            }
        }
        try folder.remove(Self.fileName)
    }

    // MARK: The layout

    /// Length of the file that `encode` makes.
    static func count(of files: [FileChange]) -> Int {
        files.reduce(changesOffset) { $0 + 6 + $1.name.utf8.count + ($1.content?.count ?? 0) }
    }

    static func encode(_ files: [FileChange], id: String, key: borrowing SecureBytes) -> [UInt8] {
        precondition((1...maxChanges).contains(files.count))
        var changes: [UInt8] = []
        changes.reserveCapacity(count(of: files))
        for file in files {
            changes.append(file.content == nil ? 2 : 1)
            changes.append(UInt8(file.name.utf8.count))
            changes.append(contentsOf: file.name.utf8)
            let count = UInt32(file.content?.count ?? 0)
            for shift in [24, 16, 8, 0] { changes.append(UInt8(truncatingIfNeeded: count >> shift)) }
            changes.append(contentsOf: file.content ?? [])
        }
        return magic + digest(of: changes.span, id, key) + changes
    }

    private static func digest(of changes: Span<UInt8>, _ id: String, _ key: borrowing SecureBytes) -> [UInt8] {
        var message = magic + Array(id.utf8)
        message.reserveCapacity(message.count + changes.count)
        for index in changes.indices { message.append(changes[index]) }
        return BLAKE2b.authenticate(message.span, key: key)
    }

    /// - Returns: nil if the bytes are no genuine commit of this identity.
    private static func parse(
        _ bytes: Span<UInt8>, _ id: String, _ key: borrowing SecureBytes
    ) -> [(name: String, content: Range<Int>?)]? {
        guard bytes.count > changesOffset, magic.indices.allSatisfy({ bytes[$0] == magic[$0] }) else { return nil }
        let digest = digest(of: bytes.extracting(changesOffset..<bytes.count), id, key)
        guard ConstantTime.areEqual(digest.span, bytes.extracting(magic.count..<changesOffset)) else { return nil }
        var changes: [(name: String, content: Range<Int>?)] = []
        var offset = changesOffset
        while offset < bytes.count {
            guard changes.count < maxChanges, bytes.count - offset >= 2 else { return nil }
            let kind = bytes[offset]
            let nameEnd = offset + 2 + Int(bytes[offset + 1])
            guard bytes.count - nameEnd >= 4 else { return nil }
            let name = (offset + 2..<nameEnd).map { bytes[$0] }
            guard RecordName.isRecordName(name) && name != Array(fileName.utf8) || name == stateName else { return nil }
            let count = (nameEnd..<nameEnd + 4).reduce(0) { $0 << 8 | Int(bytes[$1]) }
            let start = nameEnd + 4
            guard kind == 1 || kind == 2 && count == 0, count <= bytes.count - start else { return nil }
            let text = String(decoding: name, as: UTF8.self)
            guard !changes.contains(where: { $0.name == text }) else { return nil }
            changes.append((text, kind == 1 ? start..<start + count : nil))
            offset = start + count
        }
        return changes
    }

    private static let stateName = Array(IdentityRecords.stateName.utf8)
}
