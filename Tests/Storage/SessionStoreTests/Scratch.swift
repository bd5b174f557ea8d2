import AtomicFiles
import Foundation
import SecureMemory
import VectorKit

@testable import SessionStore

/// A directory for a store, gone with the value.
final class Scratch: Sendable {
    /// 0700, ours.
    let path: String
    private static let key = Array(UInt8(0)..<32)
    static let machine = [UInt8](repeating: 7, count: 16)

    /// - Parameter parent: nil for the directory of temporary files.
    init(in parent: String? = nil) throws {
        path = URL(filePath: parent ?? NSTemporaryDirectory()).resolvingSymlinksInPath()
            .appending(path: "session-store-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Opens the store of this directory.
    func open(
        id: String = "ABCD1234", messenger: String = "threema", key: [UInt8] = Scratch.key,
        machine: [UInt8] = Scratch.machine
    ) throws -> OpenSessionStore {
        try OpenSessionStore(
            in: Directory.open(path, rule: .secret), messenger: messenger, id: id,
            key: SecureBytes(copying: key.span), machine: machine)
    }

    /// Opens the store of this directory with another protection.
    func open(_ protection: StoreProtection) throws -> OpenSessionStore {
        try OpenSessionStore(
            in: Directory.open(path, rule: .secret), messenger: "threema", id: "ABCD1234",
            key: SecureBytes(copying: Scratch.key.span), machine: Scratch.machine, absence: .isFilled, protection)
    }

    /// Opens the store of this directory, which must be there.
    func openExisting() throws -> OpenSessionStore {
        try OpenSessionStore(
            existingIn: Directory.open(path, rule: .secret), messenger: "threema", id: "ABCD1234",
            key: SecureBytes(copying: Scratch.key.span))
    }

    /// A database without tables: what a program leaves that ends before it has filled its new store.
    static func emptyDatabase() throws -> [UInt8] {
        let scratch = try Scratch()
        try scratch.sql("CREATE TABLE value (kind); DROP TABLE value")
        return try scratch.content()
    }

    func at(_ name: String) -> String { path + "/" + name }

    /// The bytes of the file.
    func content(_ name: String = "sessions.db") throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(filePath: at(name))))
    }

    /// Overwrites the file in place: it remains the same file.
    func overwrite(_ content: [UInt8], _ name: String = "sessions.db") throws {
        let handle = try FileHandle(forWritingTo: URL(filePath: at(name)))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: content)
        try handle.close()
    }

    /// The contents of all files of this directory, also of those that were deleted and are still open in this process.
    func everyFile() throws -> [String: [UInt8]] {
        var files = try Dictionary(uniqueKeysWithValues: names().map { ($0, try content($0)) })
        for descriptor in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            let link = "/proc/self/fd/" + descriptor
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link),
                target.hasPrefix(path + "/"), target.hasSuffix(" (deleted)")
            else { continue }
            files[target] = try [UInt8](Data(contentsOf: URL(filePath: link)))
        }
        return files
    }

    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

    /// Carries out SQL by another program's copy of SQLite, and returns what it finds, a line for each row.
    @discardableResult
    func sql(_ statements: String) throws -> [String] {
        let program = """
            import sqlite3, sys
            database = sqlite3.connect(sys.argv[1], isolation_level=None)
            for statement in sys.argv[2].split(";"):
                for row in database.execute(statement):
                    print("|".join(each.hex() if isinstance(each, bytes) else str(each) for each in row))
            database.close()
            """
        let output = try Program.output(of: "/usr/bin/python3", ["-c", program, at("sessions.db"), statements])
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

extension Transaction {
    func set(_ kind: ValueKind, _ name: String, _ value: String) throws {
        try set(kind, Array(name.utf8), Array(value.utf8).span)
    }
}

extension OpenSessionStore {
    func text(_ kind: ValueKind, _ name: String) throws -> String? {
        guard let value = try read(kind, Array(name.utf8)) else { return nil }
        return String(decoding: value.copied, as: UTF8.self)
    }
}
