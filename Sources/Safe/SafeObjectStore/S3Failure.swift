internal import Encodings
internal import HTTP
internal import SafeStore

extension HTTPResponse {
    /// Whether a condition of the request does not hold, or cannot be judged because of another request at this moment.
    var isOfCondition: Bool { status == 412 || status == 409 && errorCode == "ConditionalRequestConflict" }

    /// Whether the body has the announced length, or came in chunks, of which the HTTP client waits for the last one.
    /// Without both, it may have been cut off.
    var isWhole: Bool {
        if let coding = headers["transfer-encoding"] { return coding.lowercased() == "chunked" }
        return headers["content-length"].flatMap { Int($0) } == body.count
    }

    /// Code, message, resource and request, and what servers add.
    private static let errorLimits = XMLScanner.Limits(depth: 8, elements: 64)
    private static let maxCodeCount = 64

    /// The code of an S3 error (`<Error><Code>NoSuchKey</Code>…`); nil if the body contains none, as that of a HEAD. What
    /// follows the code is not read.
    var errorCode: String? {
        guard !isSuccess else { return nil }
        var scanner = XMLScanner(body, limits: Self.errorLimits)
        var path: [String] = []
        while let event = try? scanner.next() {
            switch event {
            case .start(let name, _): path.append(name)
            case .end(_, let text) where path == ["Error", "Code"]: return Self.isCode(text) ? text : nil
            case .end: path.removeLast()
            }
        }
        return nil
    }

    private static func isCode(_ text: String) -> Bool {
        (1...maxCodeCount).contains(text.utf8.count) && text.allSatisfy { $0.isASCII && $0.isLetter }
    }
}

extension StoreError {
    /// Codes of a server that asks for fewer requests.
    private static let throttlingCodes: Set = ["SlowDown", "Throttling", "TooManyRequests"]
    /// Codes of an account that may not store more.
    private static let fullCodes: Set = ["QuotaExceeded", "InsufficientCapacity", "XMinioStorageFull"]
    /// Codes after which a later try may succeed, of answers below 500.
    private static let passingCodes: Set = ["RequestTimeout", "OperationAborted"]

    /// The error of an answer other than success. OpenStack Swift's own limit of requests is status 498.
    init(_ answer: HTTPResponse) {
        let code = answer.errorCode ?? ""
        self =
            switch answer.status {
            case 429, 498: .throttled
            case _ where Self.throttlingCodes.contains(code): .throttled
            case 507: .full
            case _ where Self.fullCodes.contains(code): .full
            case 408, 500...: .unavailable
            case _ where Self.passingCodes.contains(code): .unavailable
            default: .failed(reason: "the object store answers \(answer.status) \(code)")
            }
    }

    /// The error of a request without an answer.
    init(_ error: HTTPError) {
        self =
            switch error {
            case .connection, .libraryNeedsMemory: .unavailable
            case .certificate(.noForwardSecrecy):
                .failed(reason: "the object store offers neither TLS 1.3 nor ECDHE with AES-GCM or ChaCha20-Poly1305")
            case .certificate: .failed(reason: "the certificate of the object store is not trusted")
            case .badAuthority: .failed(reason: "the file of authorities contains no certificate")
            case .libraryMissing(let package): .failed(reason: "the package \(package) is missing")
            default: .failed(reason: "\(error)")
            }
    }
}
