/// The path of a directory that may not exist yet.
struct DirectoryPath {
    /// Of the directory that contains it; `.` for the working directory.
    let parent: String
    /// In the parent; empty for the root.
    let name: String

    /// - Parameter path: slashes at its end do not count.
    init(_ path: String) {
        var trimmed = path[...]
        while trimmed.count > 1, trimmed.last == "/" { trimmed.removeLast() }
        let slash = trimmed.lastIndex(of: "/")
        name = slash.map { String(trimmed[trimmed.index(after: $0)...]) } ?? String(trimmed)
        parent = slash.map { $0 == trimmed.startIndex ? "/" : String(trimmed[..<$0]) } ?? "."
    }
}
