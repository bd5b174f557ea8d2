public import HTTP

/// Asks a media server over HTTPS. Nothing is sent twice: a repeated upload would leave a second blob.
/// The library `ThreemaTransport` makes a client over libcurl.
public struct MediaClient: Sendable {
    private static let timeouts = HTTPTimeouts(connect: .seconds(30), idle: .seconds(30), total: .seconds(100))

    private let http: any HTTPClient
    private let server: MediaServer
    private let userAgent: String

    /// - Parameters:
    ///   - server: that of the questions.
    ///   - userAgent: one line.
    package init(_ http: any HTTPClient, _ server: MediaServer, userAgent: String) {
        self.http = http
        self.server = server
        self.userAgent = "User-Agent: " + userAgent
    }

    /// Sends a question and reads its answer. Question and answer are in memory as a whole.
    public func ask<Answer>(
        _ question: MediaQuestion<Answer>, progress: HTTPProgress? = nil
    ) throws(MediaFailure) -> Answer {
        let request = question.request
        let sent = HTTPRequest(
            request.method == .get ? .get : .post, request.path, headers: request.headers + [userAgent],
            body: request.body, limit: request.maxAnswerBytes, timeouts: Self.timeouts)
        let response: HTTPResponse
        do throws(HTTPError) {
            response = try http.send(sent, to: server.endpoint(request.base), progress: progress)
        } catch {
            throw .http(error)
        }
        do throws(MediaError) {
            return try question.answer(MediaReply(status: response.status, body: response.body))
        } catch {
            throw .media(error)
        }
    }
}

/// Why a question to a media server has no answer.
public enum MediaFailure: Error, Equatable, Sendable {
    /// There is no reply.
    case http(HTTPError)
    /// The reply is no answer.
    case media(MediaError)
}
