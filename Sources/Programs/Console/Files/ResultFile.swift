package import AtomicFiles
import Glibc

/// A file that the user named for a result: new unless replacing is allowed, ours alone unless others are to read it,
/// whole or not at all.
package struct ResultFile {
    /// As it was given.
    package let path: String
    private let name: String
    private let directoryPath: String
    private let mayReplace: Bool
    private let readers: Directory.Readers
    /// Whether nothing stood there.
    package private(set) var isNew = true

    /// - Throws: `ResultFileError.exists` if there is something that must not be replaced.
    package init(_ path: String, mayReplace: Bool, readers: Directory.Readers = .owner) throws {
        self.path = path
        self.readers = readers
        self.mayReplace = mayReplace
        let slash = path.lastIndex(of: "/")
        name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        directoryPath = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard !name.isEmpty, name != ".", name != ".." else {
            throw ResultFileError.notCreated(path: path, reason: .wrongKind(path: path))
        }
        do throws(FileError) {
            let directory = try directory()
            isNew = try !directory.contains(name)
            if !isNew {
                try directory.requirePlainFile(name)
                if !mayReplace { throw .exists(path: path) }
            }
        } catch {
            throw failure(error)
        }
    }

    /// - Throws: `ResultFileError`; then what stood there, or nothing, still does.
    package func write(_ bytes: Span<UInt8>) throws {
        do throws(FileError) {
            try directory().write(name, bytes, existing: mayReplace ? .replace : .refuse, readers: readers)
        } catch {
            throw failure(error)
        }
    }

    /// Writes the file, then does `finish`, for example prints what goes with it. If either fails, no file is left that
    /// was not there before.
    package func write(_ bytes: Span<UInt8>, finish: () throws -> Void) throws {
        do {
            try write(bytes)
        } catch {
            // The file may exist if only syncing its directory failed; unless it is another's.
            if case ResultFileError.exists = error {} else { removeIfNew() }
            throw error
        }
        do {
            try finish()
        } catch {
            removeIfNew()
            throw error
        }
    }

    /// The same for several files of one result: if one of them or `finish` fails, none is left.
    package static func write(_ parts: some Collection<(file: ResultFile, bytes: [UInt8])>, finish: () throws -> Void)
        throws
    {
        guard let part = parts.first else { return try finish() }
        let bytes = part.bytes
        try part.file.write(bytes.span) { try write(Array(parts.dropFirst()), finish: finish) }
    }

    private func removeIfNew() {
        if isNew { try? directory().remove(name) }
    }

    /// Under `--force` the second of two results would go over the first.
    /// - Throws: `UsageFailure` if two of the files are one, however they are spelled.
    package static func requireDistinct(_ files: [ResultFile]) throws {
        let places = files.map { file in
            guard let directory = unsafe realpath(file.directoryPath, nil) else { return file.path }
            defer { unsafe free(directory) }
            return unsafe String(cString: directory) + "/" + file.name
        }
        guard Set(places).count == places.count else { throw UsageFailure("two outputs cannot have the same file") }
    }

    private func failure(_ error: FileError) -> ResultFileError {
        if case .exists = error { .exists(path: path) } else { .notCreated(path: path, reason: error) }
    }

    private func directory() throws(FileError) -> Directory { try Directory.open(directoryPath, rule: .shared) }
}

/// Where a document is written: a new file, or stdout if that is not a terminal.
package struct DocumentTarget {
    /// Nil for stdout.
    package let file: ResultFile?

    /// - Parameter path: `-` for stdout.
    /// - Throws: `ResultFileError.exists`; `UsageFailure` if stdout is a terminal.
    package init(_ path: String, mayReplace: Bool) throws {
        guard path == "-" else {
            file = try ResultFile(path, mayReplace: mayReplace)
            return
        }
        guard !TerminalSize.isTerminal else {
            throw UsageFailure("the document is not written to a terminal", hint: "name a file, or use a pipe")
        }
        file = nil
    }

    /// Nil for stdout.
    package var path: String? { file?.path }

    /// Writes it, then does `finish`. If either fails, no file is left that was not there before.
    package func write(_ bytes: Span<UInt8>, finish: () throws -> Void) throws {
        if let file { return try file.write(bytes, finish: finish) }
        try Output.write(bytes, to: STDOUT_FILENO)
        try finish()
    }
}
