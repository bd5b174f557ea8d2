import HTTP
import SecureMemory
import Synchronization
import ThreemaMessages

/// A media server in this process, behind the port: blobs by random IDs. A `done` deletes them unless they persist, and
/// after two weeks they are gone.
final class TestMediaServer: HTTPClient {
    struct Stored {
        let blob: [UInt8]
        let persists: Bool
        let storedAt: Int
    }

    struct State {
        var blobs: [String: Stored] = [:]
        var requests: [(url: String, request: HTTPRequest)] = []
        /// In seconds.
        var now = 0
        /// What every request has to have; nil for nothing.
        var authorization: String?
        /// The answer to the next request.
        var fault: HTTPResponse?
    }

    static let lifetime = 14 * 24 * 3600
    let state = Mutex(State())

    func send(
        _ request: HTTPRequest, to endpoint: borrowing HTTPEndpoint, progress: HTTPProgress?
    ) throws(HTTPError) -> HTTPResponse {
        guard let url = endpoint.url(of: request.path) else { throw .badURL }
        let text = String(decoding: url.copied.dropLast(), as: UTF8.self)
        return state.withLock { $0.answer(request, text) }
    }

    func certificate(
        of endpoint: borrowing HTTPEndpoint, isExamined: Bool, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> PresentedCertificate? { nil }

    func chain(
        of endpoint: borrowing HTTPEndpoint, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> [PresentedCertificate] { [] }
}

extension TestMediaServer.State {
    mutating func answer(_ request: HTTPRequest, _ url: String) -> HTTPResponse {
        requests.append((url, request))
        if let fault {
            self.fault = nil
            return fault
        }
        if let authorization, !request.headers.contains("Authorization: " + authorization) {
            return HTTPResponse(status: 401)
        }
        blobs = blobs.filter { now - $0.value.storedAt < TestMediaServer.lifetime }
        let parts = url.dropFirst("https://".count).split(separator: "/", omittingEmptySubsequences: false)
        if parts[0] == "blobp-upload.threema.ch" { return upload(request, parts.dropFirst().joined(separator: "/")) }
        // Each blob is at the host of its first two digits only.
        guard parts.count > 1, parts[0] == "blobp-\(parts[1].prefix(2)).threema.ch" else {
            return HTTPResponse(status: 400)
        }
        let id = String(parts[1])
        guard let stored = blobs[id] else { return HTTPResponse(status: 404) }
        switch (request.method, parts.dropFirst(2).joined(separator: "/")) {
        case (.get, ""): return HTTPResponse(status: 200, body: stored.blob)
        case (.post, "done"):
            if !stored.persists { blobs[id] = nil }
            return HTTPResponse(status: 200)
        default: return HTTPResponse(status: 400)
        }
    }

    private mutating func upload(_ request: HTTPRequest, _ path: String) -> HTTPResponse {
        guard request.method == .post, ["upload?persist=0", "upload?persist=1"].contains(path),
            let blob = Self.part(request)
        else { return HTTPResponse(status: 400) }
        let id = Random.bytes(16).hex
        blobs[id] = .init(blob: blob, persists: path.hasSuffix("1"), storedAt: now)
        return HTTPResponse(status: 200, body: Array((id + "\r\n").utf8))
    }

    /// The content of the form's one part, by the boundary that the header names.
    private static func part(_ request: HTTPRequest) -> [UInt8]? {
        let mark = "Content-Type: multipart/form-data; boundary="
        guard let header = request.headers.first(where: { $0.hasPrefix(mark) }), let body = request.body else {
            return nil
        }
        let boundary = "--" + header.dropFirst(mark.count)
        let disposition = #"Content-Disposition: form-data; name="blob"; filename="blob.bin""#
        let start = Array("\(boundary)\r\n\(disposition)\r\nContent-Type: application/octet-stream\r\n\r\n".utf8)
        let end = Array("\r\n\(boundary)--\r\n".utf8)
        guard body.starts(with: start), body.suffix(end.count) == end[...] else { return nil }
        return Array(body[start.count..<body.count - end.count])
    }
}
