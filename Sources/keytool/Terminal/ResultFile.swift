import AtomicFiles
import Glibc

/// A file that the user named for a result: new unless replacing is allowed, ours alone unless others are to read it,
/// whole or not at all.
struct ResultFile {
    let path: String
    private let name: String
    private let folderPath: String
    private let mayReplace: Bool
    private let readers: Folder.Readers
    /// Whether nothing stood there.
    private(set) var isNew = true

    /// - Throws: `ResultFileError.exists` where something stands there and must not be replaced.
    init(_ path: String, mayReplace: Bool, readers: Folder.Readers = .owner) throws {
        self.path = path
        self.readers = readers
        self.mayReplace = mayReplace
        let slash = path.lastIndex(of: "/")
        name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        folderPath = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard !name.isEmpty, name != ".", name != ".." else {
            throw ResultFileError.notCreated(path: path, reason: .wrongKind(path: path))
        }
        do throws(FileError) {
            let folder = try folder()
            isNew = try !folder.contains(name)
            if !isNew {
                try folder.requirePlainFile(name)
                if !mayReplace { throw .exists(path: path) }
            }
        } catch {
            throw failure(error)
        }
    }

    /// - Throws: `ResultFileError`; then what stood there, or nothing, still does.
    func write(_ bytes: Span<UInt8>) throws {
        do throws(FileError) {
            try folder().write(name, bytes, existing: mayReplace ? .replace : .refuse, readers: readers)
        } catch {
            throw failure(error)
        }
    }

    /// Writes several files of one result, then does `finish`, for example to print what goes with them: where
    /// one of these fails, none of the files is left that was not there before.
    static func write(_ parts: [(file: ResultFile, bytes: [UInt8])], finish: () throws -> Void) throws {
        var written: [ResultFile] = []
        do {
            for part in parts {
                let bytes = part.bytes
                do {
                    try part.file.write(bytes.span)
                } catch {
                    // It may stand there all the same, where only its folder could not be synced; unless it is another's.
                    if case ResultFileError.exists = error {} else { written.append(part.file) }
                    throw error
                }
                written.append(part.file)
            }
            try finish()
        } catch {
            for file in written where file.isNew { try? file.folder().remove(file.name) }
            throw error
        }
    }

    /// Under `--force` the second of two results would go over the first.
    /// - Throws: `UsageFailure` where two of the files are one, however they are spelled.
    static func requireDistinct(_ files: [ResultFile]) throws {
        let places = files.map { file in
            guard let folder = unsafe realpath(file.folderPath, nil) else { return file.path }
            defer { unsafe free(folder) }
            return unsafe String(cString: folder) + "/" + file.name
        }
        guard Set(places).count == places.count else { throw UsageFailure("two results cannot be one file") }
    }

    private func failure(_ error: FileError) -> ResultFileError {
        if case .exists = error { .exists(path: path) } else { .notCreated(path: path, reason: error) }
    }

    private func folder() throws(FileError) -> Folder { try Folder.open(folderPath, rule: .shared) }
}

/// Where a document goes: a new file, or stdout when that is no terminal.
struct DocumentTarget {
    private let file: ResultFile?

    /// - Parameter path: `-` for stdout.
    /// - Throws: `ResultFileError.exists`; `UsageFailure` where stdout is a terminal.
    init(_ path: String, mayReplace: Bool) throws {
        guard path == "-" else {
            file = try ResultFile(path, mayReplace: mayReplace)
            return
        }
        guard !TerminalSize.isTerminal else {
            throw UsageFailure("the document is not put on a terminal", hint: "name a file, or pipe it")
        }
        file = nil
    }

    var isStandardOutput: Bool { file == nil }
    /// Nil for stdout.
    var path: String? { file?.path }

    func write(_ bytes: Span<UInt8>) throws {
        if let file { try file.write(bytes) } else { try Output.write(bytes, to: STDOUT_FILENO) }
    }
}
