import Encodings
import HTTP
import SafeServer
import SafeStore
import SafeWire
import Testing

/// The answers to single requests, among them the questions that real servers answer in different ways.
@Suite struct SafeResponderTests {
    private let server = TestServer(MemoryStore(keepsPrevious: true))
    private let path = "/backups/" + String(repeating: "ab", count: 32)

    /// A server with one backup, `[1, 2]`.
    init() { #expect(server.ask("PUT", path, body: [1, 2]).status == 201) }

    private func expectUnchanged(_ status: Int, _ answer: HTTPResponse) {
        #expect(answer.status == status)
        #expect(server.ask("GET", path).body == [1, 2])
    }

    @Test func `config is JSON of the limits`() {
        let answer = server.ask("GET", "/config", ["Accept: application/json"])
        #expect(answer.status == 200)
        #expect(answer.headers["content-type"] == "application/json")
        #expect(answer.body == ServerLimits.standard.config)
        let head = server.ask("HEAD", "/config", ["Accept: application/json"])
        #expect(head.status == 200 && head.headers == answer.headers && head.body.isEmpty)
        #expect(answer.headers["content-length"] == String(answer.body.count))
    }

    @Test func `PUT answers 201 for a new backup and 204 for a replaced one, with its tag`() {
        let other = "/backups/" + String(repeating: "0", count: 64)
        let created = server.ask("PUT", other, ["Content-Type: application/octet-stream"], body: [3])
        #expect(created.status == 201 && created.body.isEmpty)
        let replaced = server.ask("PUT", other, ["Content-Type: application/octet-stream"], body: [4])
        #expect(replaced.status == 204 && replaced.body.isEmpty && replaced.headers["content-length"] == nil)
        #expect(created.strongTag != nil && replaced.strongTag != created.strongTag)
        let got = server.ask("GET", other, ["Accept: application/octet-stream"])
        #expect(got.body == [4] && got.strongTag == replaced.strongTag)
        #expect(got.headers["content-type"] == "application/octet-stream")
    }

    @Test func `a body of unannounced length is stored`() {
        #expect(server.ask("PUT", path, body: [7], announced: nil).status == 204)
        #expect(server.ask("GET", path).body == [7])
    }

    @Test func `HEAD answers as GET, without the body`() {
        let head = server.ask("HEAD", path)
        let get = server.ask("GET", path)
        #expect(head.status == 200 && head.body.isEmpty && head.headers == get.headers)
        #expect(head.headers["content-length"] == "2")
        #expect(server.ask("HEAD", "/backups/" + String(repeating: "0", count: 64)).status == 404)
    }

    @Test func `a deleted backup is gone, and deleting it again is 404`() {
        #expect(server.ask("DELETE", path).status == 204)
        #expect(server.ask("GET", path).status == 404)
        #expect(server.ask("HEAD", path).status == 404)
        #expect(server.ask("DELETE", path).status == 404)
        #expect(server.ask("PUT", path, body: [1]).status == 201)
    }

    @Test func `a missing backup is 404`() {
        let other = "/backups/" + String(repeating: "0", count: 64)
        #expect(server.ask("GET", other).status == 404)
        #expect(server.ask("DELETE", other).status == 404)
    }

    @Test func `a body up to the limit is stored, a longer one is 413 before and after it was read`() {
        let most = ServerLimits.standard.maxBackupBytes
        #expect(server.ask("PUT", path, body: [UInt8](repeating: 1, count: most)).status == 204)
        #expect(server.ask("PUT", path, body: [1, 2]).status == 204)
        let long = [UInt8](repeating: 1, count: most + 1)
        expectUnchanged(413, server.ask("PUT", path, body: long))
        expectUnchanged(413, server.ask("PUT", path, body: long, announced: nil))
        for length in ["524289", "99999999999999999999999999"] {
            expectUnchanged(413, server.ask("PUT", path, ["Content-Length: " + length], announced: nil))
        }
        #expect(server.isBodyWanted("PUT", path, ["Content-Length: 524288"]))
        #expect(!server.isBodyWanted("PUT", path, ["Content-Length: 524289"]))
    }

    @Test(arguments: ["", "0", "-1", "+5", "2, 3", "0x10", "２", "1 1"]) func `a bad length is 400`(_ length: String) {
        expectUnchanged(400, server.ask("PUT", path, ["Content-Length: " + length], body: [9, 9], announced: nil))
    }

    @Test func `two lengths, a body of another length, and an empty body are 400`() {
        expectUnchanged(
            400, server.ask("PUT", path, ["Content-Length: 2", "Content-Length: 3"], body: [9, 9], announced: nil))
        expectUnchanged(400, server.ask("PUT", path, body: [9, 9], announced: 3))
        expectUnchanged(400, server.ask("PUT", path, body: []))
        expectUnchanged(400, server.ask("PUT", path, body: [], announced: nil))
    }

    @Test(arguments: [
        nil, "*/*", "application/octet-stream", "Application/Octet-Stream", "text/html, application/*;q=0.5", "",
        "application/octet-stream; charset=utf-8",
    ]) func `an Accept that fits is answered, also if it is missing`(_ accept: String?) {
        let headers = accept.map { ["Accept: " + $0] } ?? []
        #expect(server.ask("GET", path, headers).status == 200)
    }

    @Test func `an Accept that does not fit, and another Content-Type, are 400`() {
        for accept in ["application/json", "text/*", "image/png, text/html", "octet-stream"] {
            expectUnchanged(400, server.ask("GET", path, ["Accept: " + accept]))
        }
        #expect(server.ask("GET", "/config", ["Accept: application/octet-stream"]).status == 400)
        for type in ["text/plain", "application/json", "multipart/form-data; boundary=x", "application/octet-streams"] {
            expectUnchanged(400, server.ask("PUT", path, ["Content-Type: " + type], body: [9]))
        }
        let sloppy = server.ask("PUT", path, ["content-type:  APPLICATION/octet-stream ;charset=utf-8"], body: [9])
        #expect(sloppy.status == 204)
    }

    @Test func `a part of a backup is neither stored nor sent`() {
        expectUnchanged(400, server.ask("PUT", path, ["Content-Range: bytes 0-0/2"], body: [9]))
        expectUnchanged(400, server.ask("PUT", path, ["Content-Range:"], body: [9]))
        expectUnchanged(400, server.ask("PUT", path, ["Content-Encoding: gzip"], body: [9]))
        let ranged = server.ask("GET", path, ["Range: bytes=0-0"])
        #expect(ranged.status == 200 && ranged.body == [1, 2])
        #expect(ranged.headers["accept-ranges"] == "none")
    }

    @Test(arguments: [
        "AB", "Ab", "a", "", "abab", "%61b", "g0", " ab", "ab ", "a\u{301}", "ab/", "ab?x=1", "ab#", "ab\0", "../",
    ]) func `an id of another form is 400`(_ piece: String) {
        let id = ["AB", "Ab", "%61b", "g0"].contains(piece) ? String(repeating: piece, count: 32) : nil
        let target = "/backups/" + (id ?? String(repeating: "ab", count: 31) + piece + (piece.count > 2 ? "ab" : ""))
        for method in ["GET", "HEAD", "PUT", "DELETE", "PROPFIND"] {
            expectUnchanged(400, server.ask(method, target, body: method == "PUT" ? [9] : []))
        }
    }

    @Test(arguments: [
        "/", "", "*", "/backups", "/config/", "/Config", "/backup/x", "//config", "/./config", "/a/../config",
        "https://h/config", "/backups/../config", "/health", "/%63onfig", "config",
    ]) func `another path is 404, or 400 below backups, and never anything else`(_ target: String) {
        for method in ["GET", "HEAD", "PUT", "DELETE", "PROPFIND", "MKCOL", "OPTIONS"] {
            let expected = target.hasPrefix("/backups/") ? 400 : 404
            expectUnchanged(expected, server.ask(method, target, body: method == "PUT" ? [9] : []))
        }
    }

    @Test func `no collection is listed, deleted or redirected`() {
        for method in ["GET", "HEAD", "PUT", "DELETE", "PROPFIND", "MKCOL"] {
            let answer = server.ask(method, "/backups/", body: method == "PUT" ? [9] : nil)
            expectUnchanged(405, answer)
            #expect(answer.headers["allow"] == "")
        }
        expectUnchanged(404, server.ask("GET", "/backups"))
        expectUnchanged(404, server.ask("DELETE", "/backups"))
        expectUnchanged(404, server.ask("DELETE", "/"))
    }

    @Test func `other methods are 405 with those that exist`() {
        for method in ["POST", "PATCH", "PROPFIND", "MKCOL", "MOVE", "COPY", "LOCK", "OPTIONS", "TRACE", "get", ""] {
            let answer = server.ask(method, path)
            expectUnchanged(405, answer)
            #expect(answer.headers["allow"] == "GET, HEAD, PUT, DELETE")
        }
        for method in ["PUT", "DELETE", "POST"] {
            let answer = server.ask(method, "/config", body: method == "PUT" ? [9] : [])
            #expect(answer.status == 405 && answer.headers["allow"] == "GET, HEAD")
        }
        #expect(server.ask("GET", "/config").body == ServerLimits.standard.config)
    }

    @Test func `the requests of the apps are answered`() {
        let agents = ["Threema", "Threema Desktop/2.0 (consumer, linux)", "libthreema/1.0"]
        for agent in agents {
            let headers = ["User-Agent: " + agent]
            #expect(server.ask("GET", "/config", headers + ["Accept: application/json"]).status == 200)
            let type = ["Content-Type: application/octet-stream"]
            #expect(server.ask("PUT", path, headers + type, body: [5]).status == 204)
            #expect(server.ask("GET", path, headers + ["Accept: application/octet-stream"]).body == [5])
            #expect(server.ask("HEAD", path, headers).status == 200)
        }
        #expect(server.ask("DELETE", path, ["User-Agent: Threema"]).status == 204)
    }
}
