import Encodings
import Foundation
import HTTP
import SafeServer
import SafeStore
import SafeWire

/// Makes requests to a Safe server in this process, whose backups are in a directory.
///
///     serve-safe DIR
@main
struct ServeSafe {
    let responder: SafeResponder<FolderStore>

    static func main() throws {
        guard CommandLine.arguments.count == 2 else { return print("usage: serve-safe DIR") }
        let directory = CommandLine.arguments[1]
        try FolderStore.prepare(at: directory, limits: .standard)
        let store = try FolderStore(at: directory, keepsPrevious: true)
        let server = ServeSafe(responder: SafeResponder(store, limits: .standard, throttle: Throttle()))
        print(String(decoding: server.answer("GET", "/config").body, as: UTF8.self))
        let backup = "/backups/" + String(repeating: "ab", count: 32)
        let requests: [(String, [UInt8])] = [
            ("PUT", [1, 2, 3]), ("PUT", [4, 5]), ("GET", []), ("DELETE", []), ("GET", []),
        ]
        for (method, body) in requests {
            let answer = server.answer(method, backup, body)
            print(method, answer.status, answer.body)
        }
    }

    /// Answers one request as a server that has just received it.
    func answer(_ method: String, _ target: String, _ body: [UInt8] = []) -> HTTPResponse {
        let request = ServerRequest(method, target, client: "192.0.2.1")
        let now = ClockReading(
            wall: Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)),
            monotonic: .seconds(ProcessInfo.processInfo.systemUptime))
        return responder.answer(request, body: body, at: now)
    }
}
