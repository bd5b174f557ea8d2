internal import CCurl
internal import HTTP

/// Receives the answer, up to a limit, and has the body that is read while it is sent.
final class ResponseBuffer {
    private(set) var body: [UInt8] = []
    var progress: HTTPProgress?
    var upload: HTTPUpload?
    private var uploaded = 0
    /// Gets the body of an answer with status 200 instead of `body`.
    var download: HTTPDownload?
    private var downloaded = 0
    private var isSuccess = false
    /// The code of the first refused option.
    private(set) var refusal: CURLcode?
    /// Whether a connection to the server exists, new or kept, with TLS.
    private(set) var isConnected = false
    /// Whether headers came before the connection to the server, which are a proxy's.
    private(set) var hasProxyHeaders = false
    private let mayRepeat: Bool
    /// Whether the body was longer than the limit.
    private(set) var isCut = false
    /// Whether the headers were too long.
    private(set) var isTooLong = false
    private(set) var headers: [String: String] = [:]
    private var headerBytes = 0
    private let limit: Int
    private static let maxHeaderBytes = 64 * 1024
    /// Longest time without a byte in either direction.
    private let idle: Duration
    private var lastActivity = ContinuousClock.now
    private var transferred = 0
    /// Whether the request was ended because no byte was sent or received.
    private(set) var isIdle = false

    /// - Parameter mayRepeat: whether libcurl may send the request again on a new connection, if a kept one turns out
    ///   to be closed.
    init(limit: Int, idle: Duration, mayRepeat: Bool) {
        self.mayRepeat = mayRepeat
        self.limit = limit
        self.idle = idle
    }

    /// Checks the idle time. Called several times a second, and about once a second without activity.
    /// - Parameter count: bytes of both bodies so far.
    /// - Returns: false if no byte was sent or received for too long.
    func isAlive(transferred count: Int) -> Bool {
        if count != transferred { lastActivity = .now }
        transferred = count
        isIdle = .now - lastActivity >= idle
        return !isIdle
    }

    /// Called each time before the request is sent.
    /// - Returns: false if it was sent before and must not be repeated.
    func maySend() -> Bool {
        defer { isConnected = true }
        return mayRepeat || !isConnected
    }

    /// Records the code of setting an option.
    func require(_ code: CURLcode) {
        if code != CURLE_OK { refusal = refusal ?? code }
    }

    static func of(_ context: UnsafeMutableRawPointer?) -> ResponseBuffer {
        unsafe Unmanaged<ResponseBuffer>.fromOpaque(context!).takeUnretainedValue()
    }

    /// Reads the next bytes of the body to send.
    func send(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        guard let upload else { return 0 }
        var buffer = unsafe bytes.bindMemory(to: UInt8.self).mutableSpan
        guard let count = upload.read(uploaded, &buffer) else { return Int(CURL_READFUNC_ABORT) }
        uploaded += count
        return count
    }

    /// - Returns: the number of stored bytes. Fewer than given end the transfer.
    func append(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard bytes.count <= limit - body.count - downloaded else {
            isCut = true
            return 0
        }
        if isSuccess, let download {
            downloaded += bytes.count
            return download(unsafe bytes.bindMemory(to: UInt8.self).span) ? bytes.count : 0
        }
        unsafe body.append(contentsOf: bytes)
        return bytes.count
    }

    func appendHeader(_ bytes: UnsafeRawBufferPointer) -> Int {
        headerBytes += bytes.count
        if !isConnected { hasProxyHeaders = true }
        lastActivity = .now
        guard headerBytes <= Self.maxHeaderBytes else {
            isTooLong = true
            return 0
        }
        let line = unsafe String(decoding: bytes, as: UTF8.self)
        // A status line: earlier headers were those of an interim answer or of a proxy.
        if line.hasPrefix("HTTP/") {
            headers = [:]
            isSuccess = line.split(separator: " ").dropFirst().first?.prefix(3) == "200"
        }
        if let colon = line.firstIndex(of: ":") {
            var value = line[line.index(after: colon)...].drop(while: \.isWhitespace)
            while value.last?.isWhitespace == true { value.removeLast() }
            headers[line[..<colon].lowercased()] = String(value)
        }
        return bytes.count
    }
}
