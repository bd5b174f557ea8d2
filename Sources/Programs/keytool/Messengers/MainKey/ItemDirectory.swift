import AtomicFiles
import Console
import Encodings
import ProtonMainKey
import SecureMemory

/// A new directory with the app's items of a MainKey, which appear together or not at all.
struct ItemDirectory {
    private let path: String
    private let parentPath: String
    private let name: String
    private let reserved: ReservedDirectory?

    /// - Parameter reserved: where it must not be.
    /// - Throws: `UsageFailure` for stdout; `ResultFileError.existsForGood` if there is something at the path,
    ///   `.reserved`.
    init(_ path: String, outside reserved: ReservedDirectory?) throws {
        guard path != "-" else {
            throw UsageFailure(
                "the app's items are several files: they are not written to stdout",
                hint: "--output DIR, a new directory"
            )
        }
        self.reserved = reserved
        self.path = path
        let place = DirectoryPath(path)
        (name, parentPath) = (place.name, place.parent)
        guard !name.isEmpty, name != ".", name != ".." else {
            throw ResultFileError.notCreated(path: path, reason: .wrongKind(path: path))
        }
        let parent = try parent()
        do throws(FileError) {
            if try parent.contains(name) { throw .exists(path: path) }
        } catch {
            throw failure(error)
        }
    }

    /// Fills a directory of another name (0700, files 0600), and renames it. A signal that ends the process waits
    /// until that is done; after SIGKILL the directory of the other name is left.
    /// - Throws: `ResultFileError`; then nothing is left.
    func write(_ items: [(item: ProtectionItem, content: [UInt8])]) throws {
        let parent = try parent()
        do throws(FileError) {
            try EndingSignals.held { () throws(FileError) in try write(items, in: parent) }
        } catch {
            throw failure(error)
        }
    }

    private func write(
        _ items: [(item: ProtectionItem, content: [UInt8])], in parent: borrowing Directory
    ) throws(FileError) {
        let temporary = ".\(name).\(Hex.encode(Random.bytes(8))).new"
        do throws(FileError) {
            try parent.makeDirectory(temporary)
            let directory = try parent.directory(temporary)
            for (item, content) in items { try directory.write(item.rawValue, content.span) }
            try parent.rename(temporary, to: name, existing: .refuse)
        } catch {
            // If the sync of the parent failed, the directory has its name already. Its old name is free only then.
            if case .system(.sync, _, _) = error {
                try? parent.rename(name, to: temporary, existing: .refuse)
            }
            try? parent.removeDirectory(temporary)
            throw error
        }
    }

    /// The directory that it is written to, examined through the descriptor that it is written by.
    private func parent() throws -> Directory {
        let parent: Directory
        do throws(FileError) { parent = try Directory.open(parentPath, rule: .shared) } catch { throw failure(error) }
        try reserved?.requireOutside(parent, for: path)
        return parent
    }

    private func failure(_ error: FileError) -> ResultFileError {
        if case .exists = error { .existsForGood(path: path) } else { .notCreated(path: path, reason: error) }
    }
}
