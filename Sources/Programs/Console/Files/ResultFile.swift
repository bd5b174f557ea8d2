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
    private let reserved: ReservedDirectory?
    private let readers: Directory.Readers
    /// Whether nothing stood there.
    package private(set) var isNew = true
    /// The file that stood there.
    private var replaced: FileIdentity?

    /// - Parameter reserved: where no result may go; nil for nowhere.
    /// - Throws: `ResultFileError.exists` if there is something that must not be replaced; `.reserved`.
    package init(
        _ path: String, mayReplace: Bool, outside reserved: ReservedDirectory?, readers: Directory.Readers = .owner
    ) throws {
        self.path = path
        self.readers = readers
        self.reserved = reserved
        self.mayReplace = mayReplace
        let slash = path.lastIndex(of: "/")
        name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        directoryPath = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard !name.isEmpty, name != ".", name != ".." else {
            throw ResultFileError.notCreated(path: path, reason: .wrongKind(path: path))
        }
        try requireOutside()
        do throws(FileError) {
            let directory = try directory()
            isNew = try !directory.contains(name)
            if !isNew {
                try directory.requirePlainFile(name)
                if !mayReplace { throw .exists(path: path) }
                replaced = try directory.identity(of: name)
            }
        } catch {
            throw failure(error)
        }
    }

    /// For a new version of a file that was read after this value was made.
    /// - Throws: `ResultFileError.changed` if another file has come to its place since then.
    package func requireUnchanged() throws {
        do throws(FileError) {
            guard try replaced == directory().identity(of: name) else { throw .missing(path: path) }
        } catch {
            throw ResultFileError.changed(path: path)
        }
    }

    /// - Throws: `ResultFileError`; then what stood there, or nothing, still does.
    package func write(_ bytes: Span<UInt8>) throws {
        // Again: somebody may have turned a link in the path since then.
        try requireOutside()
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

    /// Writes the file piece by piece, then does `finish`. The file has its name only after `pieces` has returned.
    /// - Throws: `ResultFileError`, or what `pieces` or `finish` throws; then no file is left that was not there before.
    fileprivate func write(pieces: (ResultPieces) throws -> Void, finish: () throws -> Void) throws {
        try requireOutside()
        var failed: (any Error)?
        do {
            try directory().write(name, existing: mayReplace ? .replace : .refuse) { file in
                do {
                    try pieces(ResultPieces(file, failure))
                } catch {
                    failed = error
                    throw error
                }
            }
        } catch {
            // A file error of `pieces` is about something else.
            if let failed { throw failed }
            guard let error = error as? FileError else { throw error }
            let failure = failure(error)
            if case .exists = failure {} else { removeIfNew() }
            throw failure
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

    private func requireOutside() throws {
        try reserved?.requireOutside(directoryPath, for: path)
    }

    private func failure(_ error: FileError) -> ResultFileError {
        if case .exists = error { .exists(path: path) } else { .notCreated(path: path, reason: error) }
    }

    private func directory() throws(FileError) -> Directory { try Directory.open(directoryPath, rule: .shared) }
}

/// A result that is being written.
package final class ResultPieces {
    private let writing: (Span<UInt8>) throws -> Void
    private let reading: ((inout MutableSpan<UInt8>, Int) throws -> Int)?

    /// Stdout.
    fileprivate init() {
        writing = { try Output.write($0, to: STDOUT_FILENO) }
        reading = nil
    }

    /// - Parameter failure: explains an error of the file.
    fileprivate init(_ file: OutputFile, _ failure: @escaping (FileError) -> ResultFileError) {
        writing = { bytes in
            do throws(FileError) { try file.write(bytes) } catch { throw failure(error) }
        }
        reading = { bytes, offset in
            do throws(FileError) { return try file.read(into: &bytes, at: offset) } catch { throw failure(error) }
        }
    }

    /// - Throws: `ResultFileError`; `OutputError` for stdout.
    package func write(_ bytes: Span<UInt8>) throws { try writing(bytes) }

    /// Reads what was written to a file.
    /// - Returns: how many bytes, from the front of `bytes`; 0 at the end. Nil for stdout.
    /// - Throws: `ResultFileError`.
    package func read(into bytes: inout MutableSpan<UInt8>, at offset: Int) throws -> Int? {
        try reading?(&bytes, offset)
    }

    /// Whether what was written can be read again; false for stdout.
    package var isReadable: Bool { reading != nil }
}

/// Where a document is written: a new file, or stdout if that is not a terminal.
package struct DocumentTarget {
    /// Nil for stdout.
    package let file: ResultFile?

    /// - Parameters:
    ///   - path: `-` for stdout.
    ///   - reserved: where no file may go; nil for nowhere.
    /// - Throws: as `ResultFile.init`; `UsageFailure` if stdout is a terminal.
    package init(_ path: String, mayReplace: Bool, outside reserved: ReservedDirectory?) throws {
        guard path == "-" else {
            file = try ResultFile(path, mayReplace: mayReplace, outside: reserved)
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

    /// Writes it piece by piece, then does `finish`. If either fails, no file is left that was not there before.
    package func write(pieces: (ResultPieces) throws -> Void, finish: () throws -> Void) throws {
        if let file { return try file.write(pieces: pieces, finish: finish) }
        try pieces(ResultPieces())
        try finish()
    }
}
