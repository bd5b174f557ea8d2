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
        /// What lists have: lengths by path.
        var listed: [String: Int] = [:]
        var isListLate = false
        var mostInPage = 1000
        var honoursConditions = true
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
    func set(_ object: [UInt8], at path: String) {
        state.withLock { state in
            state.objects[path] = object
            if !state.isListLate { state.listed[path] = object.count }
        }
    }
    func forgetRequests() { state.withLock { $0.sent = [] } }

    /// Lists have no write from now on; or all of them.
    func setListsLate(_ isLate: Bool) {
        state.withLock { state in
            state.isListLate = isLate
            if !isLate { state.listed = state.objects.mapValues(\.count) }
        }
    }

    /// What it does with `If-None-Match: *` of a PUT.
    func setHonoursConditions(_ honours: Bool) { state.withLock { $0.honoursConditions = honours } }

    /// Lists have pages of so many objects at most.
    func setMostInPage(_ count: Int) { state.withLock { $0.mostInPage = count } }

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
        let target = request.path.split(separator: "?", maxSplits: 1)
        let segments = target[0].split(separator: "/")
        let bucket = String(segments[0])
        if segments.count == 1, request.method == .put {
            let isNew = state.buckets.insert(bucket).inserted
            return isNew ? HTTPResponse(status: 200) : error(409, "BucketAlreadyOwnedByYou")
        }
        guard state.buckets.contains(bucket) else { return error(404, "NoSuchBucket") }
        if segments.count == 1, request.method == .get { return list(bucket, query(target.last!), state) }
        switch request.method {
        case .put:
            if state.honoursConditions, request.headers["if-none-match"] == "*", state.objects[request.path] != nil {
                return error(412, "PreconditionFailed")
            }
            state.objects[request.path] = request.body
            if !state.isListLate { state.listed[request.path] = request.body?.count }
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

    private static func query(_ text: Substring) -> [String: String] {
        let parts = text.split(separator: "&").map { $0.split(separator: "=", omittingEmptySubsequences: false) }
        return Dictionary(uniqueKeysWithValues: parts.map { (String($0[0]), $0[1].removingPercentEncoding!) })
    }

    private static func list(_ bucket: String, _ query: [String: String], _ state: State) -> HTTPResponse {
        guard query["list-type"] == "2", let most = query["max-keys"].flatMap({ Int($0) }) else {
            return error(400, "InvalidArgument")
        }
        let beginning = "/\(bucket)/"
        let keys = state.listed.keys.filter { $0.hasPrefix(beginning + query["prefix"]!) }
            .map { String($0.dropFirst(beginning.count)) }.filter { $0 > query["start-after"] ?? "" }.sorted()
        let page = keys.prefix(min(most, state.mostInPage))
        let objects = page.map { ListedObject(key: $0, count: state.listed[beginning + $0]!) }
        return HTTPResponse(status: 200, body: ListedObject.page(objects, isTruncated: page.count < keys.count))
    }

    func certificate(
        of endpoint: borrowing HTTPEndpoint, isExamined: Bool, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> PresentedCertificate? { nil }

    func chain(
        of endpoint: borrowing HTTPEndpoint, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> [PresentedCertificate] { [] }
}

/// An object as a server lists it.
struct ListedObject {
    let key: String
    let count: Int

    /// A page of a list.
    static func page(_ objects: [ListedObject], isTruncated: Bool) -> [UInt8] {
        let contents = objects.map { object in
            "<Contents><Key>\(object.key)</Key><LastModified>2026-11-21T12:00:00.000Z</LastModified>"
                + "<ETag>&quot;d41d8cd98f00b204e9800998ecf8427e&quot;</ETag><Size>\(object.count)</Size>"
                + "<StorageClass>STANDARD</StorageClass></Contents>"
        }
        let text = """
            <?xml version='1.0' encoding='UTF-8'?>
            <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name>\
            <IsTruncated>\(isTruncated)</IsTruncated>\(contents.joined())</ListBucketResult>
            """
        return Array(text.utf8)
    }
}
