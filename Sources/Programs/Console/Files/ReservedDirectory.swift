package import AtomicFiles

/// A directory whose files are the program's own: no result may go there, or it would replace one of them.
package struct ReservedDirectory: Sendable {
    /// It need not exist.
    let path: String
    /// What it is, for a refusal: `the keystore`.
    let title: String

    package init(_ path: String, _ title: String) {
        self.path = path
        self.title = title
    }

    /// Whether a path leads into this directory, or would if it existed.
    package func holds(_ path: String) -> Bool {
        var steps = AbsolutePath.of(path).split(separator: "/")
        while true {
            let place = "/" + steps.joined(separator: "/")
            if let directory = try? Directory.open(place, rule: .shared) {
                return (try? directory.isInside(self.path)) == true
            }
            if steps.popLast() == nil { return false }
        }
    }

    /// Looks where an open directory is, however its path is spelled and through links. What is written to it later
    /// goes there, also if a link in its path is turned meanwhile.
    /// - Parameters:
    ///   - directory: that the result will be in.
    ///   - result: its path, for the refusal.
    /// - Throws: `ResultFileError.reserved`, `.notCreated`.
    package func requireOutside(_ directory: borrowing Directory, for result: String) throws(ResultFileError) {
        do throws(FileError) {
            guard try directory.isInside(path) else { return }
        } catch {
            throw .notCreated(path: result, reason: error)
        }
        throw .reserved(path: result, for: title)
    }
}
