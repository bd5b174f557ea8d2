import Foundation
import Keystore

/// A place for a keystore, gone with the value.
final class Scratch: Sendable {
    /// Where the keystore is to be; nothing stands there yet.
    let path: String
    private let parent: URL

    init() throws {
        parent = URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath()
            .appending(path: "keystore-\(UUID().uuidString)")
        path = parent.appending(path: "keys").path()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(at: parent)
    }

    /// The path of something in the keystore.
    func at(_ name: String) -> String { name.isEmpty ? path : path + "/" + name }

    func content(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(filePath: at(name))))
    }

    /// Writes a file there, 0600.
    func put(_ name: String, _ content: [UInt8]) throws {
        try Data(content).write(to: URL(filePath: at(name)))
        try setMode(0o600, of: name)
    }

    /// Makes a directory there, 0700, and those above it.
    func putDirectory(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: at(name), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    func putLink(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: at(name), withDestinationPath: target)
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: at(name))
    }

    func setMode(_ mode: mode_t, of name: String) throws {
        guard chmod(at(name), mode) == 0 else { throw CocoaError(.fileWriteNoPermission) }
    }

    func mode(of name: String) throws -> mode_t {
        var status = stat()
        guard lstat(at(name), &status) == 0 else { throw CocoaError(.fileReadNoSuchFile) }
        return status.st_mode & 0o7777
    }

    /// The path of everything in it, hidden things too, in order.
    func tree() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
    }

    /// The path of every file and link in it, in order.
    func files() throws -> [String] {
        try tree().filter { name in
            var status = stat()
            return lstat(at(name), &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
        }
    }
}

extension LockedIdentity {
    /// Writes a record that a test spells out.
    func put(_ name: RecordName, _ content: [UInt8]) throws {
        try write(name, content.span)
    }
}

/// An ID alone is one of Threema's.
extension Owner: ExpressibleByStringLiteral {
    /// One of Threema's.
    public init(stringLiteral id: String) { self.init(id) }

    init(_ id: String) { self.init(messenger: "threema", id: id)! }
}

extension RecordName {
    static let safe = ("safe" as RecordName).at(.main)
}
