internal import HTTP
internal import SafeStore

extension HTTPResponse {
    private static let codeStart = "<Code>"
    private static let maxCodeCount = 64

    /// The code of an S3 error (`<Error><Code>NoSuchKey</Code>…`); nil if the body contains none, as that of a HEAD.
    var errorCode: String? {
        guard !isSuccess else { return nil }
        let text = String(decoding: body, as: UTF8.self)
        guard let start = text.firstRange(of: Self.codeStart)?.upperBound else { return nil }
        let code = text[start...].prefix { $0 != "<" }
        guard (1...Self.maxCodeCount).contains(code.count), code.allSatisfy({ $0.isASCII && $0.isLetter }) else {
            return nil
        }
        return String(code)
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
            case .certificate: .failed(reason: "the certificate of the object store is not trusted")
            case .badAuthority: .failed(reason: "the file of authorities contains no certificate")
            case .libraryMissing(let package): .failed(reason: "the package \(package) is missing")
            default: .failed(reason: "\(error)")
            }
    }
}
