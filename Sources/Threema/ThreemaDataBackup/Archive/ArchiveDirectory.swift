/// The directory of a ZIP file: the only place that has the lengths of the entries.
struct ArchiveDirectory {
    /// Bytes that are read at a time, so that a directory of any length takes little memory.
    private static let windowCount = 256 * 1024

    private let source: ArchiveSource
    private let end: EndRecord

    /// Offset of the directory: entries are in front of it.
    var offset: Int { end.directory.lowerBound }

    /// Number of entries.
    var count: Int { end.entries }

    /// - Throws: as `EndRecord`.
    init(of source: ArchiveSource) throws(DataBackupError) {
        self.source = source
        end = try EndRecord(of: source)
    }

    /// Calls `body` for each entry, in order.
    /// - Throws: `.damaged(.directory)` if the entries do not fill the directory exactly, or if there are more or fewer
    ///   than the end record says.
    func forEach(_ body: (DirectoryEntry) throws(DataBackupError) -> Void) throws(DataBackupError) {
        var window: ArraySlice<UInt8> = []
        var position = end.directory.lowerBound
        /// Makes the window start with the next `count` bytes.
        func require(_ count: Int) throws(DataBackupError) {
            guard window.count < count else { return }
            let rest = end.directory.upperBound - position
            guard count <= rest else { throw .damaged(.directory) }
            window = try source.read(position, min(rest, max(count, Self.windowCount)))[...]
        }
        for _ in 0..<end.entries {
            try require(DirectoryEntry.fixedCount)
            guard let count = DirectoryEntry.count(of: window) else { throw .damaged(.directory) }
            try require(count)
            try body(DirectoryEntry(window.prefix(count)))
            window = window.dropFirst(count)
            position += count
        }
        guard position == end.directory.upperBound else { throw .damaged(.directory) }
    }

    /// The entry of this name.
    /// - Returns: nil if there is none.
    /// - Throws: `.duplicate`; as `forEach`.
    func entry(_ name: String) throws(DataBackupError) -> DirectoryEntry? {
        var found: DirectoryEntry?
        try forEach { (entry) throws(DataBackupError) in
            guard entry.name.elementsEqual(name.utf8) else { return }
            guard found == nil else { throw .duplicate(entry: name) }
            found = entry
        }
        return found
    }
}
