package import AtomicFiles
import Glibc

/// A file that the user named for a result: new unless replacing is allowed, ours alone unless others are to read it,
/// whole or not at all.
///
/// Its directory is opened once. All that is examined, written and removed is in that directory, also if somebody turns
/// a link in the path.
package struct ResultFile {
    /// What happens to a file that a result replaces.
    package enum Old {
        /// It is replaced only as it was when the command began: the result may be made from it.
        case unchanged
        /// It is replaced, whatever is there by then.
        case any
        /// It stays under the name with `.1`, or the next number that is free.
        case kept
    }

    /// As it was given.
    package let path: String
    private let name: String
    private let place: Place
    private let mayReplace: Bool
    private let old: Old
    private let reserved: ReservedDirectory?
    private let readers: Directory.Readers
    /// The file that stood there; nil for none.
    private var replaced: FileState?
    /// Whether nothing stood there.
    package var isNew: Bool { replaced == nil }
    /// Where the file that stood there is once it was replaced; nil if it is not kept.
    package var keptPath: String? { place.kept.map { path.dropLast(name.count) + $0 } }

    /// - Parameters:
    ///   - old: what happens to a file that may be replaced.
    ///   - reserved: where no result may go; nil for nowhere.
    /// - Throws: `ResultFileError.exists` if there is something that must not be replaced; `.reserved`.
    package init(
        _ path: String, mayReplace: Bool, old: Old = .unchanged, outside reserved: ReservedDirectory?,
        readers: Directory.Readers = .owner
    ) throws {
        guard !path.isEmpty else { throw UsageFailure("the name of a file is empty") }
        self.path = path
        self.readers = readers
        self.reserved = reserved
        self.mayReplace = mayReplace
        self.old = old
        let slash = path.lastIndex(of: "/")
        name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        guard !name.isEmpty, name != ".", name != ".." else {
            throw ResultFileError.notCreated(path: path, reason: .wrongKind(path: path))
        }
        do throws(FileError) {
            place = try Place(slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ".")
        } catch {
            throw Self.failure(error, path)
        }
        try reserved?.requireOutside(place.directory, for: path)
        do throws(FileError) {
            if try place.directory.contains(name) {
                replaced = try place.directory.presentState(of: name)
                if !mayReplace { throw .exists(path: path) }
            }
        } catch {
            throw failure(error)
        }
    }

    /// - Throws: `ResultFileError`, for example `.reserved` or `.moved` if its path leads elsewhere now, or `.changed` if a
    ///   file that it was to replace was changed since this value was made; then what stood there, or nothing, still does.
    package func write(_ bytes: Span<UInt8>) throws { try write(bytes) {} }

    /// Writes the file, then does `finish`, for example prints what goes with it.
    /// - Throws: `ResultFileError`, or what `finish` throws; then no file is left that was not there before.
    package func write(_ bytes: Span<UInt8>, finish: () throws -> Void) throws {
        try write(pieces: { try $0.write(bytes) }, finish: finish)
    }

    /// Writes the file piece by piece, then does `finish`. The file has its name only after `pieces` has returned.
    /// - Throws: `ResultFileError`, or what `pieces` or `finish` throws; then no file is left that was not there before.
    /// - Returns: the file, if it was not there before.
    @discardableResult
    fileprivate func write(pieces: (ResultPieces) throws -> Void, finish: () throws -> Void) throws -> FileIdentity? {
        try requireInPlace()
        let lock = try lockedIfKept()
        defer { withExtendedLifetime(lock) {} }
        var failed: (any Error)?
        // What this call has put there; another file of that name is not removed.
        var written: FileIdentity?
        do {
            let isNew = try !place.directory.contains(name)
            try place.directory.write(name, existing: mayReplace ? .replace : .refuse, readers: readers) { file in
                if isNew { written = try file.identity() }
                do {
                    try pieces(ResultPieces(file, failure))
                } catch {
                    failed = error
                    throw error
                }
                try requireUnchanged()
                if old == .kept, try place.directory.contains(name) { place.kept = try place.directory.keep(name) }
            }
        } catch {
            if let kept = place.kept { try? place.directory.takeBack(kept, of: name) }
            // The file exists if only syncing its directory failed.
            if let written { remove(written) }
            // A file error of `pieces` is about something else.
            if let failed { throw failed }
            guard let error = error as? FileError else { throw error }
            throw failure(error)
        }
        do {
            try finish()
        } catch {
            if let written { remove(written) }
            throw error
        }
        return written
    }

    /// The same for several files of one result: if one of them or `finish` fails, none is left that was not there before.
    /// All of them are on the disk, and nobody has changed what they replace, before the first one gets its name: so a
    /// full disk costs nothing that stood there.
    package static func write(_ parts: [(file: ResultFile, bytes: [UInt8])], finish: () throws -> Void) throws {
        var new: [(file: ResultFile, identity: FileIdentity)] = []
        func write(from index: Int) throws {
            let (file, bytes) = parts[index]
            let written = try file.write {
                try $0.write(bytes.span)
                try $0.sync()
                if index + 1 < parts.count { return try write(from: index + 1) }
                for each in parts { try each.file.requireUnchanged() }
            } finish: {
                if index == 0 { try finish() }
            }
            if let written { new.append((file, written)) }
        }
        guard !parts.isEmpty else { return try finish() }
        do {
            try write(from: 0)
        } catch {
            for each in new { each.file.remove(each.identity) }
            throw error
        }
    }

    /// How long to wait for another process that writes a result into the directory.
    private static let lockWait = Duration.seconds(60)

    /// Of two processes that keep what they replace, the second one would keep what the first one has kept already.
    private func lockedIfKept() throws -> FileLock? {
        guard old == .kept else { return nil }
        do throws(FileError) {
            return try place.directory.lock(wait: Self.lockWait)
        } catch {
            throw failure(error)
        }
    }

    private func requireUnchanged() throws {
        guard mayReplace, old == .unchanged else { return }
        if replaced != (try? place.directory.presentState(of: name)) { throw ResultFileError.changed(path: path) }
    }

    private func remove(_ written: FileIdentity) { try? place.directory.remove(name, if: written) }

    /// Under `--force` the second of two results would go over the first.
    /// - Throws: `UsageFailure` if two of the files are one, however they are spelled.
    package static func requireDistinct(_ files: [ResultFile]) throws {
        let places = files.map { file in
            guard let directory = unsafe realpath(file.place.directory.path, nil) else { return file.path }
            defer { unsafe free(directory) }
            return unsafe String(cString: directory) + "/" + file.name
        }
        guard Set(places).count == places.count else { throw UsageFailure("two outputs cannot have the same file") }
    }

    /// Somebody may have moved the directory, or turned a link in its path, since it was opened.
    /// - Throws: `ResultFileError.reserved`, `.moved`, `.notCreated`.
    private func requireInPlace() throws {
        try reserved?.requireOutside(place.directory, for: path)
        do throws(FileError) {
            if try place.directory.isAtItsPath() { return }
        } catch {
            throw failure(error)
        }
        let present: Place
        do throws(FileError) { present = try Place(place.directory.path) } catch { throw failure(error) }
        try reserved?.requireOutside(present.directory, for: path)
        throw ResultFileError.moved(path: path)
    }

    private func failure(_ error: FileError) -> ResultFileError { Self.failure(error, path) }

    private static func failure(_ error: FileError, _ path: String) -> ResultFileError {
        if case .exists = error { .exists(path: path) } else { .notCreated(path: path, reason: error) }
    }

    /// The open directory, shared by the copies of a `ResultFile`.
    private final class Place {
        let directory: Directory
        var kept: String?

        init(_ path: String) throws(FileError) {
            directory = try Directory.open(path, rule: .shared)
        }
    }
}

/// A result that is being written.
package final class ResultPieces {
    private let writing: (Span<UInt8>) throws -> Void
    private let reading: ((inout MutableSpan<UInt8>, Int) throws -> Int)?
    private let syncing: () throws -> Void

    /// Stdout.
    fileprivate init() {
        writing = { try Output.writeResult($0) }
        reading = nil
        syncing = {}
    }

    /// - Parameter failure: explains an error of the file.
    fileprivate init(_ file: OutputFile, _ failure: @escaping (FileError) -> ResultFileError) {
        writing = { bytes in
            do throws(FileError) { try file.write(bytes) } catch { throw failure(error) }
        }
        reading = { bytes, offset in
            do throws(FileError) { return try file.read(into: &bytes, at: offset) } catch { throw failure(error) }
        }
        syncing = {
            do throws(FileError) { try file.sync() } catch { throw failure(error) }
        }
    }

    /// Has the kernel write a file to the disk.
    /// - Throws: `ResultFileError`.
    fileprivate func sync() throws { try syncing() }

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
    ///   - old: as for `ResultFile.init`.
    ///   - reserved: where no file may go; nil for nowhere.
    /// - Throws: as `ResultFile.init`; `UsageFailure` if stdout is a terminal.
    package init(
        _ path: String, mayReplace: Bool, old: ResultFile.Old = .unchanged, outside reserved: ReservedDirectory?
    ) throws {
        guard path == "-" else {
            file = try ResultFile(path, mayReplace: mayReplace, old: old, outside: reserved)
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
        try Output.writeResult(bytes)
        try finish()
    }

    /// Writes it, then says so if it is a file: stdout has the document, and nothing else. If either fails, no file is
    /// left that was not there before.
    /// - Parameter done: is given the path.
    package func write(_ bytes: Span<UInt8>, done: (_ path: String) throws -> Void) throws {
        guard let file else { return try Output.writeResult(bytes) }
        try file.write(bytes) { try done(file.path) }
    }

    /// Writes it piece by piece, then does `finish`. If either fails, no file is left that was not there before.
    package func write(pieces: (ResultPieces) throws -> Void, finish: () throws -> Void) throws {
        if let file {
            try file.write(pieces: pieces, finish: finish)
            return
        }
        try pieces(ResultPieces())
        try finish()
    }
}
