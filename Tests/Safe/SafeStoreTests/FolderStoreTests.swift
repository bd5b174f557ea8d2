import AtomicFiles
import Foundation
import SafeStore
import SafeWire
import Testing

/// The directory itself: what the adapter above it makes of errors is tested there.
@Suite final class FolderStoreTests {
    private let path: String
    private let id = BackupID([UInt8](repeating: 0xab, count: 32).span)
    private let other = BackupID([UInt8](repeating: 0xcd, count: 32).span)

    init() throws {
        path = URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath()
            .appending(path: "directory-store-\(UUID().uuidString)").path()
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    private func prepared() throws -> FolderStore {
        try FolderStore.prepare(at: path, limits: .standard)
        return try FolderStore(at: path)
    }

    private func names(_ directory: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path + "/" + directory).sorted()
    }

    private func put(_ name: String, _ content: [UInt8] = [1]) throws {
        try Data(content).write(to: URL(filePath: path + "/" + name))
    }

    @Test func `what is stored is read, replaced and removed`() throws {
        let store = try prepared()
        let none = try store.backup(id)
        #expect(none == nil)
        try store.store([1, 2], at: id, existing: .refuse)
        #expect(throws: FileError.self) { try store.store([3], at: id, existing: .refuse) }
        let first = try store.backup(id)
        #expect(first == [1, 2])
        try store.store([3], at: id, existing: .replace)
        let second = try store.backup(id)
        #expect(second == [3])
        let elsewhere = try store.backup(other)
        #expect(elsewhere == nil)
        try store.remove(other)
        try store.remove(id)
        try store.remove(id)
        let backups = try names("backups")
        #expect(backups == [])
    }

    @Test func `who locks the backups removes temporary files of killed writers, and no others`() throws {
        let store = try prepared()
        let writer = try deadWriter()
        let others = [".\(id.hex).1x9z.new", ".notes.\(writer).1x9z.new"]
        for name in others + [".\(id.hex).\(writer).1x9z.new"] { try put("backups/" + name) }
        let lock = try store.lock(wait: .zero)
        let left = try names("backups")
        #expect(left == others.sorted())
        _ = consume lock
    }

    @Test func `preparing twice changes nothing, and keeps a config of somebody else's`() throws {
        _ = try prepared()
        try put("config", Array(#"{"maxBackupBytes":600000,"retentionDays":30}"#.utf8))
        let store = try prepared()
        let config = try store.config()
        #expect(config == Array(#"{"maxBackupBytes":600000,"retentionDays":30}"#.utf8))
        let all = try names()
        #expect(all == ["backups", "config"])
    }

    @Test func `a directory with other files is not prepared`() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try put("picture")
        #expect(throws: FileError.exists(path: path)) { try FolderStore.prepare(at: path, limits: .standard) }
        let all = try names()
        #expect(all == ["picture"])
    }

    @Test(arguments: ["", "{}", #"{"maxBackupBytes":0,"retentionDays":30}"#])
    func `a directory whose config has no limits is left as it is`(_ config: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try put("config", Array(config.utf8))
        try FolderStore.prepare(at: path, limits: .standard)
        let all = try names()
        #expect(all == ["config"])
    }

    @Test func `a directory that is missing is told from one that is not prepared`() throws {
        #expect(throws: FileError.missing(path: path)) { _ = try FolderStore(at: path) }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let store = try FolderStore(at: path)
        #expect(throws: FileError.missing(path: path + "/config")) { _ = try store.config() }
        #expect(throws: FileError.missing(path: path + "/backups")) { _ = try store.backup(id) }
        #expect(throws: FileError.missing(path: path + "/backups")) { try store.store([1], at: id, existing: .replace) }
    }

    @Test func `what is too long, a link or a directory is not read`() throws {
        let store = try prepared()
        try put("backups/" + id.hex, [UInt8](repeating: 0, count: maxFetchedBytes + 1))
        #expect(throws: FileError.tooLarge(path: path + "/backups/" + id.hex, limit: maxFetchedBytes)) {
            _ = try store.backup(id)
        }
        try FileManager.default.createSymbolicLink(
            atPath: path + "/backups/" + other.hex, withDestinationPath: path + "/config")
        #expect(throws: FileError.wrongKind(path: path + "/backups/" + other.hex)) { _ = try store.backup(other) }
    }

    @Test func `two hold the lock one after the other`() throws {
        let store = try prepared()
        let lock = try store.lock(wait: .zero)
        #expect(throws: FileError.locked(path: path + "/backups")) { _ = try store.lock(wait: .milliseconds(50)) }
        _ = consume lock
        _ = try store.lock(wait: .zero)
    }
}
