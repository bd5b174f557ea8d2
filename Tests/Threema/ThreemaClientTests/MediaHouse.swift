import HTTP
import SecureMemory
import Synchronization
import VectorKit

@testable import ThreemaMedia

/// A media server in this process, and how it fails.
final class MediaHouse: HTTPClient {
    struct State {
        /// By ID, and whether they persist.
        var blobs: [String: (bytes: [UInt8], persists: Bool)] = [:]
        var uploads = 0
        /// How long the last one may take.
        var timeout = Duration.zero
        var downloads = 0
        /// The number of the request that fails, counted down to 0: before the server has it, or behind it.
        var failsBefore = -1
        var failsBehind = -1
        /// A blob whose download gets status 500.
        var refused: String?
    }

    let state = Mutex(State())
    private static let lost = HTTPError.connection(.brokenOff)

    var client: MediaClient { MediaClient(self, .threema, userAgent: "test/1") }

    func send(
        _ request: HTTPRequest, to endpoint: borrowing HTTPEndpoint, progress: HTTPProgress?
    ) throws(HTTPError) -> HTTPResponse {
        let fails = state.withLock { state in
            state.failsBefore -= 1
            state.failsBehind -= 1
            return (before: state.failsBefore == -1, behind: state.failsBehind == -1)
        }
        guard !fails.before else { throw Self.lost }
        let response = try answer(request)
        guard !fails.behind else { throw Self.lost }
        return response
    }

    private func answer(_ request: HTTPRequest) throws(HTTPError) -> HTTPResponse {
        let parts = request.path.split(separator: "/").map(String.init)
        if parts[0].hasPrefix("upload") {
            let form = try body(request)
            let blob = Array(form[BlobForm.beginning.count..<form.count - BlobForm.end.count])
            let id = Random.bytes(16).hex
            state.withLock { state in
                state.blobs[id] = (blob, parts[0].hasSuffix("1"))
                state.uploads += 1
                state.timeout = request.timeouts.total
            }
            return HTTPResponse(status: 200, body: Array(id.utf8))
        }
        guard state.withLock({ $0.refused != parts[0] }) else { return HTTPResponse(status: 500) }
        guard let blob = state.withLock({ $0.blobs[parts[0]] }) else { return HTTPResponse(status: 404) }
        if parts.last == "done" {
            if !blob.persists { state.withLock { $0.blobs[parts[0]] = nil } }
            return HTTPResponse(status: 200)
        }
        state.withLock { $0.downloads += 1 }
        guard blob.bytes.count <= request.limit else { throw .bodyTooLong }
        guard let download = request.download else { return HTTPResponse(status: 200, body: blob.bytes) }
        for start in stride(from: 0, to: blob.bytes.count, by: 1000) {
            guard download(Array(blob.bytes[start..<min(start + 1000, blob.bytes.count)]).span) else { throw Self.lost }
        }
        return HTTPResponse(status: 200)
    }

    /// Reads a streamed body as libcurl does.
    private func body(_ request: HTTPRequest) throws(HTTPError) -> [UInt8] {
        guard let upload = request.upload else { return request.body ?? [] }
        var all: [UInt8] = []
        while all.count < upload.count {
            var piece = [UInt8](repeating: 0, count: 16_384)
            var bytes = piece.mutableSpan
            guard let count = upload.read(all.count, &bytes), count > 0 else { throw Self.lost }
            all += piece.prefix(count)
        }
        return all
    }

    func certificate(
        of endpoint: borrowing HTTPEndpoint, isExamined: Bool, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> PresentedCertificate? { nil }

    func chain(
        of endpoint: borrowing HTTPEndpoint, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> [PresentedCertificate] { [] }
}
