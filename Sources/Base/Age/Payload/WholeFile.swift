public import AtomicFiles

extension AgeReader {
    /// Writes the content to a file, whole or not at all. It has its name only after the end is authenticated; nothing
    /// remains of a file that is damaged or cut off.
    /// - Parameter name: a name in `directory`. The file has mode 0600.
    /// - Throws: as `next`, or `FileError`.
    public consuming func write(
        to name: String, in directory: borrowing Directory, existing: Directory.Existing = .refuse
    ) throws {
        var reader = self
        try directory.write(name, existing: existing) { file in
            var hasMore = true
            while hasMore { hasMore = try reader.next { try file.write($0) } }
        }
    }
}
