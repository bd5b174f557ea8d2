import Foundation
import Primitives
import SecureMemory
import Telegram
import VectorKit

@testable import TelegramSessions

/// A copy in guarded memory.
func secure(_ bytes: [UInt8]) -> SecureBytes { SecureBytes(copying: bytes.span) }

/// 256 bytes, `first` and so on.
func keyBytes(_ first: UInt8 = 7) -> [UInt8] { (0..<256).map { first &+ UInt8(truncatingIfNeeded: $0) } }

func held(_ bytes: [UInt8]) throws -> HeldAuthorizationKey {
    HeldAuthorizationKey(try AuthorizationKey(copying: bytes.span))
}

/// An account of one key.
func account(
    _ number: Int32 = 2, key: [UInt8] = keyBytes(), user: UInt64? = 777_000, isBot: Bool? = true, apiID: Int32? = 12345
) throws -> TelegramAccount {
    try TelegramAccount(
        user: user, mainDataCentre: number,
        keys: [TelegramAccount.Key(dataCentre: number, held: try held(key))], isBot: isBot, apiID: apiID)
}

extension TelegramSession {
    init(text: String) throws(TelegramSessionError) {
        let bytes = Array(text.utf8)
        try self.init(text: bytes.span)
    }

    init(file: [UInt8], log: [UInt8] = [], journal: [UInt8] = []) throws(TelegramSessionError) {
        try self.init(database: secure(file), log: secure(log), journal: secure(journal))
    }
}

/// How many sessions of each kind the other implementations write and read.
let sessionCount = triesAllCases ? 200 : 6

/// A directory for one test.
struct Scratch {
    let path: String

    init() throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "sessions-\(UUID())")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        path = place.path()
    }

    func read(_ name: String) throws -> [UInt8] {
        let file = URL(filePath: path).appending(path: name)
        guard FileManager.default.fileExists(atPath: file.path()) else { return [] }
        return [UInt8](try Data(contentsOf: file))
    }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(filePath: path).appending(path: name))
    }

    /// A session and the files beside it.
    func session(_ name: String) throws -> TelegramSession {
        try TelegramSession(file: try read(name), log: try read(name + "-wal"), journal: try read(name + "-journal"))
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}

extension SecureBytes {
    var copied: [UInt8] { withBytes { bytes in bytes.indices.map { bytes[$0] } } }
}
