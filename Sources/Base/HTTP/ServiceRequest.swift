/// A request to a service, and how its response is read. Each service has a name for its own requests, such as
/// `MediaRequest`, and functions that make them.
public struct ServiceRequest<Answer: ~Copyable, Failure: ServiceError>: Sendable {
    /// The request to send. Give its response to `answer(_:)`.
    public let http: HTTPRequest
    /// The URL to which the path is appended, with a slash at its end; empty if all requests of the service go to one.
    public let base: String
    private let meanings: [Int: Failure]
    private let read: @Sendable (HTTPResponse) throws(Failure) -> Answer

    /// - Parameters:
    ///   - meanings: of statuses that mean something else to this request than to others.
    ///   - read: gets a response of success that is not longer than the request's limit.
    package init(
        _ http: HTTPRequest, base: String = "", meanings: [Int: Failure] = [:],
        read: @escaping @Sendable (HTTPResponse) throws(Failure) -> Answer
    ) {
        self.http = http
        self.base = base
        self.meanings = meanings
        self.read = read
    }

    /// Reads the response to `http`. Do not follow redirects, and read no more of a body than one byte above the limit.
    public func answer(_ response: HTTPResponse) throws(Failure) -> Answer {
        try Failure.check(response, meanings, limit: http.limit)
        return try read(response)
    }
}

/// Why a service's response is not an answer, or a request to it cannot be made.
public protocol ServiceError: Error, Equatable {
    /// A status without a meaning.
    static func unexpectedStatus(_ status: Int) -> Self
    /// The body is longer than the request's limit, in bytes.
    static func tooLong(limit: Int) -> Self
    /// What a status means to all requests of the service; nil for success.
    static func meaning(of response: HTTPResponse) -> Self?
}

extension ServiceError {
    /// - Throws: what the status means, if not success; `.tooLong`.
    package static func check(_ response: HTTPResponse, _ meanings: [Int: Self], limit: Int) throws(Self) {
        if let failure = meanings[response.status] ?? meaning(of: response) { throw failure }
        guard response.body.count <= limit else { throw .tooLong(limit: limit) }
    }
}

/// Why a request to a service has no answer.
public enum ServiceFailure<Reason: ServiceError>: Error, Equatable {
    /// There is no response.
    case http(HTTPError)
    /// The response is not an answer, or nothing was sent because the request cannot be made.
    case service(Reason)

    /// Runs a step of a request.
    package static func rethrowing<Result: ~Copyable>(
        _ step: () throws(Reason) -> Result
    ) throws(ServiceFailure) -> Result {
        do throws(Reason) { return try step() } catch { throw .service(error) }
    }
}

extension HTTPClient {
    /// Sends a request once, and reads its response.
    /// - Parameter headers: added to those of the request.
    package func ask<Answer: ~Copyable, Reason>(
        _ request: ServiceRequest<Answer, Reason>, at endpoint: borrowing HTTPEndpoint, headers: [String] = [],
        progress: HTTPProgress? = nil
    ) throws(ServiceFailure<Reason>) -> Answer {
        var sent = request.http
        sent.headers += headers
        let response: HTTPResponse
        do throws(HTTPError) { response = try send(sent, to: endpoint, progress: progress) } catch {
            throw .http(error)
        }
        return try ServiceFailure.rethrowing { () throws(Reason) in try request.answer(response) }
    }
}
