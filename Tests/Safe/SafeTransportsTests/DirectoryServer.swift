import Foundation
import SafeWire
import SafeTransports

/// A Safe server in a directory of a test's own.
final class DirectoryServer: ServerUnderTest {
    let path: String
    let address: String
    var exchange: any SafeExchange { FolderExchange(parsed)! }
    private let parsed: SafeServerAddress
    private let parent: URL

    /// An empty directory, not prepared.
    init() throws {
        parent = URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath()
            .appending(path: "safe-directory-\(UUID().uuidString)")
        path = parent.appending(path: "safe").path()
        address = "file://" + path
        parsed = try SafeServerAddress(parsing: address)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: parent)
    }

    static func prepared() throws -> DirectoryServer {
        let server = try DirectoryServer()
        try server.exchange.prepare(.standard)
        return server
    }

    func at(_ name: String) -> String { path + "/" + name }

    func putConfig(_ content: [UInt8]) throws { try put("config", content) }

    func putBackup(_ content: [UInt8], at id: BackupID) throws { try put("backups/" + id.hex, content) }

    func put(_ name: String, _ content: [UInt8]) throws { try Data(content).write(to: URL(filePath: at(name))) }

    func setAge(_ age: Duration, of name: String) throws {
        let date = Date(timeIntervalSinceNow: -(age / .seconds(1)))
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: at(name))
    }

    func putLink(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: at(name), withDestinationPath: target)
    }

    func content(_ name: String) throws -> [UInt8] { try [UInt8](Data(contentsOf: URL(filePath: at(name)))) }

    func takeAway() throws { try FileManager.default.removeItem(atPath: path) }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: at(name)) }

    /// Every name in it, those with a dot too, in order.
    func tree() throws -> [String] { try FileManager.default.subpathsOfDirectory(atPath: path).sorted() }
}
