import AtomicFiles
import CommandLine
import Console

/// The directory of the pages of new shares. If it is missing, it is made.
struct ShareDirectory {
    private let path: String
    private let place: DirectoryPath
    /// Whether it was made here.
    private let isNew: Bool

    /// Makes it with mode 0700 if it is missing, in a directory that must exist.
    /// - Parameter reserved: where it must not be.
    /// - Throws: `UsageFailure` for an empty path or stdout; `ResultFileError`.
    init(_ path: String, outside reserved: ReservedDirectory?) throws {
        guard !path.isEmpty else {
            throw UsageFailure("--sheet names no directory: its value is empty", hint: "--sheet DIR")
        }
        guard path != "-" else {
            throw UsageFailure("the pages are several files: they are not written to stdout", hint: "--sheet DIR")
        }
        self.path = path
        place = DirectoryPath(path)
        do {
            let parent = try Directory.open(place.parent, rule: .shared)
            guard FileStatus(path)?.isDirectory != false else {
                throw Failure(.cantCreate, "\(path) is not a directory", hints: "--sheet names a directory")
            }
            // The root has no name; it is there.
            isNew = place.name.isEmpty ? false : try !parent.contains(place.name)
            if isNew {
                try reserved?.requireOutside(parent, for: path)
                try parent.makeDirectory(place.name)
            }
        } catch let error as FileError {
            throw ResultFileError.notCreated(path: path, reason: error)
        }
    }

    /// Where each page goes: `share-1-NAME.pdf` and so on. A page replaces nothing: a share of an older set may be in the file.
    /// - Throws: `Failure` if one is there already; `ResultFileError`.
    func files(_ count: Int, named name: String, outside reserved: ReservedDirectory?) throws -> [ResultFile] {
        try (1...count).map { number in
            do {
                return try ResultFile("\(path)/share-\(number)-\(name).pdf", mayReplace: false, outside: reserved)
            } catch ResultFileError.exists(let path) {
                throw Failure(
                    .exists, "\(path) already exists", hints: "nothing was written: name another directory")
            }
        }
    }

    /// Removes the directory if it was made here and is empty.
    func takeBack() {
        if isNew { try? Directory.open(place.parent, rule: .shared).removeEmptyDirectory(place.name) }
    }
}
