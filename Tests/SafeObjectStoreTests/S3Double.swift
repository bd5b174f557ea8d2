import Encodings
import Foundation
import HTTP
import SafeObjectStore
import SafeStore
import SafeWire
import SecureMemory
import StoreKit
import Synchronization

/// An S3 server in memory behind the port of clients. Signatures are not verified.
final class S3Double: HTTPClient {
    /// What the server does with the next requests of a method.
    enum Fault: Sendable {
        /// Answers this and does nothing.
        case answer(HTTPResponse)
        /// The connection fails before the request is carried out.
        case lost(HTTPError)
        /// The request is carried out, and its answer is lost.
        case late(HTTPError)
    }

    struct Sent: Sendable {
        let method: HTTPRequest.Method
        let path: String
        let headers: [String: String]
        let body: [UInt8]?
        let limit: Int
    }

    private struct State {
        var buckets: Set<String> = []
        var objects: [String: [UInt8]] = [:]
        var faults: [HTTPRequest.Method: Fault] = [:]
        var sent: [Sent] = []
    }

    private let state = Mutex(State())
    /// How long each answer takes, in seconds.
    private let delay: Double

    init(delay: Double = 0) { self.delay = delay }

    static let address = try! S3Address(parsing: "s3://store.example:8080/safe")

    var sent: [Sent] { state.withLock { $0.sent } }
    var objects: [String: [UInt8]] { state.withLock { $0.objects } }
    var buckets: Set<String> { state.withLock { $0.buckets } }

    func set(_ fault: Fault?, for method: HTTPRequest.Method) { state.withLock { $0.faults[method] = fault } }
    func remove(bucket: String) { _ = state.withLock { $0.buckets.remove(bucket) } }
    func set(_ object: [UInt8], at path: String) { state.withLock { $0.objects[path] = object } }

    func connection(region: String = S3Connection.defaultRegion) -> S3Connection {
        let secret = Array("sk".utf8)
        let credentials = S3Credentials(accessKey: "AK", secretKey: SecureBytes(copying: secret.span))
        return S3Connection(to: Self.address, credentials, region: region, by: self) { day(0) }
    }

    /// A store on prepared buckets.
    func store(account: AccountName? = nil, limits: ServerLimits = .standard) throws -> S3Store {
        let connection = connection()
        try connection.prepare()
        state.withLock { $0.sent = [] }
        return S3Store(on: connection, limits: limits, account: account)
    }

    static func error(_ status: Int, _ code: String) -> HTTPResponse {
        HTTPResponse(status: status, body: Array("<?xml version='1.0'?><Error><Code>\(code)</Code></Error>".utf8))
    }

    func send(
        _ request: HTTPRequest, to endpoint: borrowing HTTPEndpoint, progress: HTTPProgress?
    ) throws(HTTPError) -> HTTPResponse {
        guard endpoint.origin == Self.address.origin else { throw .badURL }
        let pairs = request.headers.compactMap { line -> (String, String)? in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (parts[0].lowercased(), String(parts[1].drop { $0 == " " }))
        }
        let sent = Sent(
            method: request.method, path: request.path, headers: Dictionary(uniqueKeysWithValues: pairs),
            body: request.body, limit: request.limit)
        let result = state.withLock { state -> Result<HTTPResponse, HTTPError> in
            state.sent.append(sent)
            switch state.faults[request.method] {
            case .answer(let answer): return .success(answer)
            case .lost(let error): return .failure(error)
            case .late(let error):
                _ = Self.carryOut(sent, &state)
                return .failure(error)
            case nil: return .success(Self.carryOut(sent, &state))
            }
        }
        if delay > 0 { Thread.sleep(forTimeInterval: delay) }
        let answer = try result.get()
        guard answer.body.count <= request.limit else { throw .bodyTooLong }
        return answer
    }

    private static func carryOut(_ request: Sent, _ state: inout State) -> HTTPResponse {
        let segments = request.path.split(separator: "/")
        let bucket = String(segments[0])
        if segments.count == 1, request.method == .put {
            let isNew = state.buckets.insert(bucket).inserted
            return isNew ? HTTPResponse(status: 200) : error(409, "BucketAlreadyOwnedByYou")
        }
        guard state.buckets.contains(bucket) else { return error(404, "NoSuchBucket") }
        switch request.method {
        case .put:
            state.objects[request.path] = request.body
            return HTTPResponse(status: 200)
        case .get, .head:
            guard let object = state.objects[request.path] else {
                return request.method == .get ? error(404, "NoSuchKey") : HTTPResponse(status: 404)
            }
            let headers = ["content-length": String(object.count)]
            return HTTPResponse(status: 200, body: request.method == .get ? object : [], headers: headers)
        default: return error(405, "MethodNotAllowed")
        }
    }

    func certificate(
        of endpoint: borrowing HTTPEndpoint, isExamined: Bool, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> PresentedCertificate? { nil }
}
