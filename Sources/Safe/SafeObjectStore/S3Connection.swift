package import Encodings
package import HTTP
package import SafeStore
internal import SecureMemory
internal import Synchronization

/// Signed requests to one S3 server. The stores of all accounts share one. Calls come from several threads: as many
/// requests are under way as threads call, and the client keeps a connection for each.
package final class S3Connection: Sendable {
    /// The region of servers that have none, among them OpenStack Swift and Ceph with their default configuration.
    package static let defaultRegion = "us-east-1"
    /// The timeouts of a request. Other threads wait for the same lock meanwhile.
    package static let defaultTimeouts = HTTPTimeouts(
        connect: .seconds(5), idle: .seconds(15), total: .seconds(30))
    /// Longest answer that contains no backup, in bytes. Errors are XML.
    static let maxErrorBytes = 16 * 1024

    let address: S3Address
    /// Many, because each is held while two requests are under way.
    let locks = IDLocks(count: 1024)
    /// By account: another store is made when the password of its account changes, and must not forget them then.
    private let recentWrites = Mutex<[AccountName: RecentWrites]>([:])
    private let honours = Atomic<Bool>(false)
    private let endpoint: HTTPEndpoint
    private let signer: S3Signer
    private let client: any HTTPClient
    private let timeouts: HTTPTimeouts
    /// The present time.
    let clock: @Sendable () -> Timestamp

    var region: String { signer.region }

    /// Sends nothing.
    /// - Parameters:
    ///   - authority: certificates in PEM to trust instead of the system's; nil for the system's.
    ///   - region: as in the server's configuration.
    ///   - client: usable from several threads at once.
    ///   - clock: the present time. A server refuses requests whose time differs by more than 15 minutes from its own.
    package init(
        to address: S3Address, _ credentials: consuming S3Credentials, authority: [UInt8]? = nil,
        region: String = defaultRegion, by client: any HTTPClient, timeouts: HTTPTimeouts = defaultTimeouts,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.address = address
        let url = Array("https://\(address.authority)".utf8)
        endpoint = HTTPEndpoint(url: SecureBytes(copying: url.span), authority: authority)
        signer = S3Signer(credentials, region: region)
        self.client = client
        self.timeouts = timeouts
        self.clock = clock
    }

    /// Sends a request once.
    /// - Parameters:
    ///   - path: of a bucket or an object: percent-encoded, with a slash in front.
    ///   - query: is signed, too.
    ///   - headers: names in lower case. They are signed.
    ///   - limit: longest body of the answer, in bytes.
    /// - Returns: the answer, of any status.
    /// - Throws: `.unavailable` if no answer came; `.failed` if the server is not trusted. After a PUT the object is
    ///   the old one or the new one.
    package func send(
        _ method: HTTPRequest.Method, _ path: String, query: S3Query = .none, headers: [String: String] = [:],
        body: [UInt8]? = nil, limit: Int
    ) throws(StoreError) -> HTTPResponse {
        var signed = headers
        signed["host"] = address.authority
        let signature = S3Signature(
            method.rawValue, path, query: query, headers: signed, body: body ?? [], at: clock(), region: region)
        var lines = signature.headers.filter { $0.key != "host" }.map { "\($0.key): \($0.value)" }
        lines.append("authorization: " + signer.authorization(of: signature))
        // Not to wait for an interim answer; and no type of a form.
        lines += ["Expect:", body == nil ? "Content-Type:" : "Content-Type: application/octet-stream"]
        let target = query == .none ? path : path + "?" + query.text
        let request = HTTPRequest(method, target, headers: lines, body: body, limit: limit, timeouts: timeouts)
        do throws(HTTPError) {
            return try client.send(request, to: endpoint, progress: nil)
        } catch {
            throw StoreError(error)
        }
    }

    /// What this process has written of an account, through all stores on this connection.
    func recentWrites(of account: AccountName) -> RecentWrites {
        recentWrites.withLock { writes in
            if let known = writes[account] { return known }
            let new = RecentWrites()
            writes[account] = new
            return new
        }
    }

    /// Creates the 256 buckets, if they are missing. It may be repeated after an error. For a key that may not create
    /// buckets, they have to be there.
    package func prepare() throws(StoreError) {
        for bucket in address.buckets {
            let answer = try send(.put, "/" + bucket, body: bucketConfiguration, limit: Self.maxErrorBytes)
            guard !answer.isSuccess, answer.errorCode != "BucketAlreadyOwnedByYou" else { continue }
            guard answer.errorCode == "AccessDenied", (try? check(bucket)) != nil else { throw StoreError(answer) }
        }
    }

    /// Write only if there is no object.
    static let onlyFirst = ["if-none-match": "*"]

    /// Whether the server honours `onlyFirst`. False before `tryConditions`.
    var honoursConditions: Bool { honours.load(ordering: .relaxed) }

    /// What is known of a server and `If-None-Match: *`.
    package enum Conditions: Equatable, Sendable {
        case honoured, ignored
        /// The server has refused the attempt, for example because this key may not write the object.
        case unknown(reason: String)
    }

    /// Finds out whether the server honours `If-None-Match: *`: of two writes of one object, the second has to fail.
    /// The object is `PREFIX-00/first-upload`; it is empty, and stays.
    /// - Throws: `StoreError` if a later attempt may succeed.
    package func tryConditions() throws(StoreError) -> Conditions {
        for _ in 0..<2 {
            let answer = try send(
                .put, "/\(address.buckets[0])/first-upload", headers: Self.onlyFirst, body: [],
                limit: Self.maxErrorBytes)
            if answer.isOfCondition {
                honours.store(true, ordering: .relaxed)
                return .honoured
            }
            // Servers that do not know the header may say so.
            if answer.status == 400 || answer.status == 501 { return .ignored }
            guard !answer.isSuccess else { continue }
            let error = StoreError(answer)
            guard case .failed(let reason) = error else { throw error }
            return .unknown(reason: reason)
        }
        return .ignored
    }

    /// Asks for an object that does not exist.
    /// - Throws: also if its bucket does not exist.
    package func check() throws(StoreError) { try check(address.buckets[0]) }

    private func check(_ bucket: String) throws(StoreError) {
        let answer = try send(.get, "/\(bucket)/ready", limit: Self.maxErrorBytes)
        guard answer.status == 404, answer.errorCode == "NoSuchKey" else { throw StoreError(answer) }
    }

    /// Amazon wants to be told the region of a bucket, unless it is the default one.
    private var bucketConfiguration: [UInt8] {
        guard region != Self.defaultRegion else { return [] }
        let name = "CreateBucketConfiguration"
        return Array("<\(name)><LocationConstraint>\(region)</LocationConstraint></\(name)>".utf8)
    }
}
