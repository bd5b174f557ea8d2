import Encodings
import HTTP

/// Sends requests by another client, and tells of each. For `--verbose`.
struct ObservedClient: ForwardingClient {
    let client: any HTTPClient
    /// The URL to which paths of requests are appended. It holds no login.
    let url: String
    let observe: @Sendable (_ line: String) -> Void

    func send(
        _ request: HTTPRequest, to endpoint: borrowing HTTPEndpoint, progress: HTTPProgress?
    ) throws(HTTPError) -> HTTPResponse {
        let start = ContinuousClock.now
        func tell(_ outcome: String, _ bytes: Int) {
            let duration = ContinuousClock.now - start
            observe(
                "\(request.method.rawValue) \(url)\(request.path) \(outcome), \(bytes) bytes, \(duration.milliseconds) ms"
            )
        }
        do throws(HTTPError) {
            let answer = try client.send(request, to: endpoint, progress: progress)
            tell("\(answer.status)", request.body?.count ?? answer.body.count)
            return answer
        } catch {
            if case .connection(let failure) = error { tell(failure.words, 0) } else { tell("failed", 0) }
            throw error
        }
    }
}
