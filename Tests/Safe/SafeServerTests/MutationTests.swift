import AtomicFiles
import Foundation
import HTTP
import SafeServer
import SafeStore
import SafeWire
import Testing
import VectorKit

/// A prepared server in a directory, and beside it a file that no request may touch.
final class Neighbourhood: Sendable {
    let path: String
    var server: String { path + "/safe" }

    init() throws {
        path = URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath()
            .appending(path: "safe-server-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try Data([7]).write(to: URL(filePath: path + "/neighbour"))
        try FolderStore.prepare(at: server, limits: .standard)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func removeLogins() throws { try FileManager.default.removeItem(atPath: server + "/logins") }

    /// Nobody can read a directory as a file, not even root.
    func replaceLoginsByDirectory() throws {
        try FileManager.default.createDirectory(atPath: server + "/logins", withIntermediateDirectories: false)
    }

    func store() throws(FileError) -> FolderStore { try FolderStore(at: server, keepsPrevious: true) }

    /// Names and contents outside the server's own directories.
    func surroundings() throws -> [String: Data?] {
        var found: [String: Data?] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path)
        where !name.hasPrefix("safe/backups/") && !name.hasPrefix("safe/previous") && name != "safe/clock" {
            found[name] = FileManager.default.contents(atPath: path + "/" + name)
        }
        return found
    }

    /// Names inside the server's own directories that are not those of backups.
    func strangers() throws -> [String] {
        let backups = try FileManager.default.contentsOfDirectory(atPath: server + "/backups")
        let previous = (try? FileManager.default.subpathsOfDirectory(atPath: server + "/previous")) ?? []
        let name = /([0-9a-f]{2})(\/\1[0-9a-f]{62}(-\d{8}T\d{9}Z){2}(-deleted)?)?/
        return backups.filter { BackupID(hex: $0) == nil } + previous.filter { $0.wholeMatch(of: name) == nil }
    }
}

/// Requests that were valid before some bytes of them were changed.
@Suite struct MutationTests {
    private static let count = 10_000
    private static let ids = ["ab", "00", "ff"].map { String(repeating: $0, count: 32) }
    private static let methods = ["GET", "HEAD", "PUT", "DELETE"]
    private static let pieces = [
        "..", "/", "//", "%2e%2e", "%00", "\0", "\r\n", "\u{301}", "?", "#", "config", "backups", "AB", "*", "\"", ",",
        "W/", "-1", "99999999999999999999", "bytes 0-1/2", "chunked", "é", "\u{10ffff}", ";", ":", " ", "\t",
    ]
    private static let headers = [
        ["Content-Type: application/octet-stream"], ["Accept: application/octet-stream"], ["Accept: */*"],
        ["If-None-Match: *"], ["If-Match: \"x\", W/\"y\""], ["Content-Range: bytes 0-1/2"], ["Content-Length: 3"],
        ["Transfer-Encoding: chunked"], ["Content-Encoding: gzip"], ["Range: bytes=0-"], ["Host: h", "Host: i"],
        ["Destination: /config"], ["Depth: infinity"], ["X-HTTP-Method-Override: DELETE"],
    ]

    private struct Case {
        var method: String
        var target: String
        var headers: [String]
        var body: [UInt8]
    }

    private static func mutated(_ text: String, _ random: inout SeededRandom) -> String {
        var bytes = Array(text.utf8)
        let place = random.number(below: bytes.count + 1)
        switch random.number(below: 6) {
        case 0 where place < bytes.count: bytes[place] ^= UInt8(1 << random.number(below: 8))
        case 1 where place < bytes.count: bytes.remove(at: place)
        case 2: bytes.insert(contentsOf: Array(pieces[random.number(below: pieces.count)].utf8), at: place)
        case 3: bytes = Array(bytes.prefix(place))
        case 4: bytes += bytes.suffix(random.number(below: bytes.count + 1))
        default: bytes.insert(UInt8(random.number(below: 256)), at: place)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func next(_ random: inout SeededRandom) -> Case {
        let id = ids[random.number(below: ids.count)]
        var request = Case(
            method: methods[random.number(below: methods.count)],
            target: random.number(below: 8) == 0 ? "/config" : "/backups/" + id, headers: [], body: [])
        if request.method == "PUT" {
            let sizes = [0, 1, 2, 100, 20_000, 524_288, 524_289]
            let size = sizes[random.number(below: random.number(below: 50) == 0 ? sizes.count : 4)]
            request.body = [UInt8](repeating: UInt8(random.number(below: 256)), count: size)
        }
        for _ in 0..<random.number(below: 3) { request.headers += headers[random.number(below: headers.count)] }
        for _ in 0..<random.number(below: 4) {
            switch random.number(below: 3) {
            case 0: request.method = mutated(request.method, &random)
            case 1: request.target = mutated(request.target, &random)
            default:
                guard let line = request.headers.indices.randomElement(using: &random) else { continue }
                request.headers[line] = mutated(request.headers[line], &random)
            }
        }
        return request
    }

    /// Whether a status is possible for this method and target. The target is judged by another grammar than the
    /// server's: a regular expression.
    private static func isRight(_ status: Int, _ request: Case) -> Bool {
        let isConfig = request.target.utf8.elementsEqual("/config".utf8)
        let isBackup =
            request.target.utf8.count == 73 && request.target.wholeMatch(of: /\/backups\/[0-9a-f]{64}/) != nil
        switch (request.method, status) {
        case ("GET", 200), ("HEAD", 200): return isConfig || isBackup
        case ("PUT", 201), ("PUT", 204): return isBackup && (1...524_288).contains(request.body.count)
        case ("DELETE", 204): return isBackup
        case (_, 400), (_, 404), (_, 405), (_, 412): return true
        case ("PUT", 413): return isBackup
        default: return false
        }
    }

    private func run<Store: BackupStore & ~Copyable>(_ server: TestServer<Store>, seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var statuses: [Int: Int] = [:]
        for number in 0..<Self.count {
            let request = Self.next(&random)
            let answer = server.ask(
                request.method, request.target, request.headers, body: request.body.isEmpty ? nil : request.body,
                at: reading(number))
            statuses[answer.status, default: 0] += 1
            if !Self.isRight(answer.status, request) {
                Issue.record("\(answer.status) to \(request.method) \(request.target) \(request.headers)")
            }
        }
        // The cases reach all answers.
        #expect([200, 201, 204, 400, 404, 405, 412, 413].allSatisfy { statuses[$0, default: 0] > 0 }, "\(statuses)")
    }

    @Test func `mutated requests get no wrong success, in memory`() {
        run(TestServer(MemoryStore(keepsPrevious: true)), seed: 1)
    }

    @Test func `mutated requests leave nothing outside of a directory`() throws {
        let place = try Neighbourhood()
        let before = try place.surroundings()
        run(TestServer(try place.store()), seed: 2)
        let after = try place.surroundings()
        #expect(after == before)
        let strangers = try place.strangers()
        #expect(strangers == [])
    }
}
