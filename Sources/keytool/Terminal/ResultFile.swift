import AtomicFiles

/// A file that the user named for a result: new unless replacing is allowed, 0600, whole or not at all.
struct ResultFile {
    let path: String
    private let name: String
    private let folderPath: String
    private let mayReplace: Bool

    /// - Throws: `ResultFileError.exists` where something stands there and must not be replaced.
    init(_ path: String, mayReplace: Bool) throws {
        self.path = path
        self.mayReplace = mayReplace
        let slash = path.lastIndex(of: "/")
        name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        folderPath = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard !name.isEmpty, name != ".", name != ".." else {
            throw ResultFileError.notCreated(path: path, reason: .wrongKind(path: path))
        }
        do throws(FileError) {
            if !mayReplace, try folder().contains(name) { throw .exists(path: path) }
        } catch {
            throw failure(error)
        }
    }

    /// - Throws: `ResultFileError`; then what stood there, or nothing, still does.
    func write(_ text: String) throws {
        do throws(FileError) {
            try folder().write(name, Array(text.utf8).span, existing: mayReplace ? .replace : .refuse)
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: FileError) -> ResultFileError {
        if case .exists = error { .exists(path: path) } else { .notCreated(path: path, reason: error) }
    }

    private func folder() throws(FileError) -> Folder { try Folder.open(folderPath, rule: .shared) }
}
