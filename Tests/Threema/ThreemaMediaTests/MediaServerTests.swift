import Foundation
import HTTP
import SecureMemory
import Testing
import ThreemaMessages
import VectorKit

@testable import ThreemaMedia

@Suite struct MediaServerTests {
    private let http = TestMediaServer()
    private var client: MediaClient { MediaClient(http, .threema, userAgent: "test/1") }

    private func requests() -> [(url: String, request: HTTPRequest)] { http.state.withLock { $0.requests } }

    @Test func `a file goes from one person to the other, and is gone then`() throws {
        let (file, key) = (Random.bytes(100_000), EnclosedKey.random())
        let blob = Blob.seal(file.span, key: key)
        let id = try client.ask(.upload(blob, to: .threema, persists: false))
        let downloaded = try client.ask(.download(id, from: .threema))
        #expect(downloaded == blob)
        #expect(try Blob.open(downloaded.span, key: key).copied == file)
        try client.ask(.done(id, on: .threema))
        let digits = "\(id)"
        let host = "https://blobp-\(digits.prefix(2)).threema.ch/"
        #expect(
            requests().map { "\($0.request.method.rawValue) \($0.url)" } == [
                "POST https://blobp-upload.threema.ch/upload?persist=0", "GET \(host)\(digits)",
                "POST \(host)\(digits)/done",
            ])
        #expect(requests().allSatisfy { $0.request.headers.contains("User-Agent: test/1") })
        #expect(requests().allSatisfy { $0.request.timeouts.connect == .seconds(30) })
        #expect(requests().allSatisfy { $0.request.timeouts.total == .seconds(100) })
        #expect(requests()[2].request.body == [])
        #expect(throws: MediaFailure.service(.unknownBlob)) { try client.ask(.download(id, from: .threema)) }
        #expect(throws: MediaFailure.service(.unknownBlob)) { try client.ask(.done(id, on: .threema)) }
    }

    @Test func `a blob that persists stays for two weeks, for all members of a group`() throws {
        let id = try client.ask(.upload([1, 2, 3], to: .threema, persists: true))
        for _ in 0..<2 {
            #expect(try client.ask(.download(id, from: .threema)) == [1, 2, 3])
            try client.ask(.done(id, on: .threema))
        }
        http.state.withLock { $0.now = TestMediaServer.lifetime - 1 }
        #expect(try client.ask(.download(id, from: .threema)) == [1, 2, 3])
        // A picture is sent again for a week at most, so its receivers have another week.
        #expect(UploadedPicture.lifetime < .seconds(TestMediaServer.lifetime))
        http.state.withLock { $0.now = TestMediaServer.lifetime }
        #expect(throws: MediaFailure.service(.unknownBlob)) { try client.ask(.download(id, from: .threema)) }
    }

    @Test func `tokens`() throws {
        let token = EnclosedBytes.of(Array("aB+/=".utf8))
        let kinds: [(MediaAuthorization, String)] = [
            (.blobToken(token), "ThreemaBlobToken aB+/="), (.token(token), "Token aB+/="),
        ]
        for (authorization, header) in kinds {
            http.state.withLock { $0.authorization = header }
            let id = try client.ask(.upload([1], to: .threema, persists: false, authorization))
            #expect(try client.ask(.download(id, from: .threema, authorization)) == [1])
            try client.ask(.done(id, on: .threema, authorization))
            #expect(throws: MediaFailure.service(.unauthorized)) {
                try client.ask(.upload([1], to: .threema, persists: false))
            }
        }
        for bad in ["", "a b", "a\r\nX: y", "ä", "\u{7f}"] {
            let authorization = MediaAuthorization.blobToken(.of(Array(bad.utf8)))
            #expect(throws: MediaError.badToken) {
                try MediaRequest<BlobID>.upload([], to: .threema, persists: false, authorization)
            }
        }
    }

    @Test(arguments: [
        (HTTPResponse(status: 403), MediaError.unexpectedStatus(403)),
        (HTTPResponse(status: 302), .unexpectedStatus(302)),
        (HTTPResponse(status: 401), .unauthorized), (HTTPResponse(status: 404), .unknownBlob),
        (HTTPResponse(status: 200), .malformed), (HTTPResponse(status: 204), .malformed),
        (HTTPResponse(status: 200, body: Array(String(repeating: "a", count: 31).utf8)), .malformed),
        (HTTPResponse(status: 200, body: Array(String(repeating: "g", count: 32).utf8)), .malformed),
        (HTTPResponse(status: 200, body: Array((String(repeating: "a", count: 32) + " b").utf8)), .malformed),
        (HTTPResponse(status: 200, body: [UInt8](repeating: 0x61, count: 1025)), .tooLong(limit: 1024)),
    ])
    func `what is no answer to an upload`(_ response: HTTPResponse, _ error: MediaError) {
        http.state.withLock { $0.fault = response }
        #expect(throws: MediaFailure.service(error)) { try client.ask(.upload([1], to: .threema, persists: false)) }
    }

    @Test func `a blob may be as long as the caller permits`() throws {
        let id = try client.ask(.upload([UInt8](repeating: 7, count: 100), to: .threema, persists: true))
        #expect(try client.ask(.download(id, from: .threema, limit: 100)).count == 100)
        #expect(throws: MediaFailure.service(.tooLong(limit: 99))) {
            try client.ask(.download(id, from: .threema, limit: 99))
        }
        #expect(requests().last?.request.limit == 99)
    }

    @Test func `the form is one that another program reads`() throws {
        // The other program takes the content for text, whose line ends it changes.
        let blob = Random.bytes(1000).filter { $0 != 0x0a && $0 != 0x0d } + Array("--".utf8)
        let request = try MediaRequest<BlobID>.upload(blob, to: .threema, persists: false).http
        let body = try #require(request.body)
        #expect(body.count == BlobForm.count(of: blob.count))
        let file = FileManager.default.temporaryDirectory.appending(path: "form-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(Array((request.headers[0] + "\r\n\r\n").utf8) + body).write(to: file)
        let program = """
            import email.parser, email.policy, sys
            form = email.parser.BytesParser(policy=email.policy.HTTP).parse(open(sys.argv[1], "rb"))
            parts = form.get_payload()
            assert len(parts) == 1 and parts[0].get_content_type() == "application/octet-stream"
            assert parts[0].get_param("name", header="content-disposition") == "blob"
            assert parts[0].get_filename() == "blob.bin"
            print(parts[0].get_payload(decode=True).hex(), end="")
            """
        let printed = try Program.output(of: "/usr/bin/python3", ["-c", program, file.path()])
        #expect(String(decoding: printed, as: UTF8.self) == blob.hex)
    }

    @Test func `a company's own server`() throws {
        let server = try MediaServer(
            uploadURL: "https://media.example:8443/up", downloadURL: "https://m.example/{blobIdPrefix}/x/")
        let id = try #require(BlobID(hex: "ab" + String(repeating: "0", count: 30)))
        let upload = try MediaRequest<BlobID>.upload([], to: server, persists: true)
        #expect(upload.base + upload.http.path == "https://media.example:8443/up/upload?persist=1")
        let download = try MediaRequest<[UInt8]>.download(id, from: server)
        #expect(download.base + download.http.path == "https://m.example/ab/x/\(id)")
        #expect(try MediaRequest<Void>.done(id, on: server).http.path == "\(id)/done")
        let dual = try MediaRequest<[UInt8]>.download(id, from: .threemaDualStack)
        #expect(dual.base == "https://ds-blobp-ab.threema.ch/")
        for bad in [
            "", "http://a.example/", "https://", "https://u@a.example/", "https://a.example/?q", "https://a b/",
        ] {
            #expect(throws: MediaServerError.badURL) {
                try MediaServer(uploadURL: bad, downloadURL: "https://a.example/")
            }
            #expect(throws: MediaServerError.badURL) {
                try MediaServer(uploadURL: "https://a.example/", downloadURL: bad)
            }
        }
        #expect(throws: MediaServerError.badURL) {
            try MediaServer(uploadURL: "https://{blobIdPrefix}.example/", downloadURL: "https://a.example/")
        }
    }
}
