import Foundation

/// A directory of a test's own, which goes with the value.
final class Scratch: Sendable {
    /// An absolute path without links in it: 0700, ours.
    let path: String

    init() throws {
        path = URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath()
            .appending(path: "atomic-files-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try setMode(0o700, of: "")
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of something in it.
    func at(_ name: String) -> String { name.isEmpty ? path : path + "/" + name }

    /// Writes a file there, 0600.
    func put(_ name: String, _ content: [UInt8] = [1, 2, 3]) throws {
        try Data(content).write(to: URL(filePath: at(name)))
        try setMode(0o600, of: name)
    }

    /// Makes a directory there, 0700.
    func putDirectory(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: at(name), withIntermediateDirectories: false)
        try setMode(0o700, of: name)
    }

    func putLink(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: at(name), withDestinationPath: target)
    }

    func putPipe(_ name: String) throws {
        guard mkfifo(at(name), 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    /// A second name for a file.
    func putHardLink(_ name: String, to file: String) throws {
        guard link(at(file), at(name)) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    func content(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(filePath: at(name))))
    }

    func setMode(_ mode: mode_t, of name: String) throws {
        guard chmod(at(name), mode) == 0 else { throw CocoaError(.fileWriteNoPermission) }
    }

    func setOwner(_ owner: uid_t, of name: String) throws {
        guard lchown(at(name), owner, owner) == 0 else { throw CocoaError(.fileWriteNoPermission) }
    }

    func mode(of name: String) throws -> mode_t {
        var status = stat()
        guard lstat(at(name), &status) == 0 else { throw CocoaError(.fileReadNoSuchFile) }
        return status.st_mode & 0o7777
    }

    /// Every name in it, those with a dot too, in order.
    func names(in name: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: at(name)).sorted()
    }
}

/// Whether files can be given to another account here.
let isRoot = geteuid() == 0
/// `nobody`, by its number on Debian: some account that is neither root nor us.
let somebodyElse: uid_t = 65_534
