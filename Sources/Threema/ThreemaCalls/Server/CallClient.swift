package import HTTP

/// Asks a server of group calls over HTTPS. Nothing is sent twice.
package struct CallClient: Sendable {
    private let http: any HTTPClient
    private let server: CallServer
    private let userAgent: String

    /// - Parameters:
    ///   - server: that of the questions.
    ///   - userAgent: one line.
    package init(_ http: any HTTPClient, _ server: CallServer, userAgent: String) {
        self.http = http
        self.server = server
        self.userAgent = "User-Agent: " + userAgent
    }

    /// Sends a question and reads its answer.
    package func ask<Answer>(_ question: CallQuestion<Answer>) throws(CallFailure) -> Answer {
        let request = question.request
        let timeouts = HTTPTimeouts(connect: request.timeout, idle: request.timeout, total: request.timeout)
        let sent = HTTPRequest(
            .post, request.path, headers: request.headers + [userAgent], body: request.body,
            limit: CallRequest.maxAnswerBytes, timeouts: timeouts)
        let response: HTTPResponse
        do throws(HTTPError) {
            response = try http.send(sent, to: server.endpoint, progress: nil)
        } catch {
            throw .http(error)
        }
        do throws(CallQuestionError) {
            return try question.answer(CallReply(status: response.status, body: response.body))
        } catch {
            throw .answer(error)
        }
    }
}

/// Why a question to a server of group calls has no answer.
package enum CallFailure: Error, Equatable, Sendable {
    /// There is no reply.
    case http(HTTPError)
    /// The reply is no answer.
    case answer(CallQuestionError)
}
