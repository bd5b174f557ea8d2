internal import CCurl
internal import Glibc
internal import HTTP
internal import SecureMemory

/// One HTTPS request by libcurl.
@safe
struct CurlRequest: ~Copyable {
    private let curl: Curl
    private let connection: CurlHandle
    private let buffer: ResponseBuffer
    private let method: HTTPRequest.Method
    private let serverPort: Int
    /// The header line, terminated by NUL.
    private var authorization: SecureBytes?

    /// Longest idle time of a connection, in seconds. Servers close idle connections after 5 s or more, and a PUT that
    /// is sent at that moment is lost and must not be repeated.
    private static let longestPause = 3

    /// The ciphers of TLS 1.2, in OpenSSL's names: those with forward secrecy and authenticated encryption. All ciphers
    /// of TLS 1.3 have both.
    private static let ciphers = [
        "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384",
        "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305",
    ].joined(separator: ":")

    private var handle: UnsafeMutableRawPointer { unsafe connection.pointer }

    /// - Parameter connection: not used by another request meanwhile.
    /// - Throws: `.badURL`.
    init(
        _ request: HTTPRequest, to endpoint: borrowing HTTPEndpoint, on connection: CurlHandle
    ) throws(HTTPError) {
        guard let url = endpoint.url(of: request.path) else { throw .badURL }
        Curl.requireMemory(sending: 0)
        curl = connection.curl
        self.connection = connection
        method = request.method
        serverPort = endpoint.origin?.port.map { Int($0) } ?? 443
        // Not self's method: if an autoclosure such as that of || captures self here, Swift 6.3 takes `buffer` for
        // initialised, and releases what happens to be there.
        let mayRepeat = request.method == .get || request.method == .head
        buffer = ResponseBuffer(limit: request.limit, idle: request.timeouts.idle, mayRepeat: mayRepeat)
        connection.prepare(for: buffer)
        // libcurl copies it, and wipes the copy when the request ends.
        url.withBytes { url in
            unsafe url.withUnsafeBytes { url in
                buffer.require(unsafe keytool_curl_set_pointer(curl.setopt, handle, CURLOPT_URL, url.baseAddress))
            }
        }
        set(CURLOPT_CUSTOMREQUEST, method.rawValue)
        if method == .head { set(CURLOPT_NOBODY, 1) }
        set(CURLOPT_PROTOCOLS_STR, "https")
        // HTTP/1.1, because the library for HTTP/2 copies the headers and does not wipe them.
        set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_FOLLOWLOCATION, 0)
        // Does not wait for a name server after the timeout. Best effort: the option exists since 7.87.
        _ = unsafe keytool_curl_set_long(curl.setopt, handle, CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_MAXAGE_CONN, Self.longestPause)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        set(CURLOPT_SSL_CIPHER_LIST, Self.ciphers)
        // Headers and login are sent to the server only, and not to a proxy.
        set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
        set(CURLOPT_CONNECTTIMEOUT_MS, request.timeouts.connect.milliseconds)
        set(CURLOPT_TIMEOUT_MS, request.timeouts.total.milliseconds)
        receive()
        limitIdleTime()
        count()
    }

    deinit { SpentStack.wipe() }

    // MARK: What is asked

    /// Sets the trusted authorities: the given ones, those of OpenSSL's variables, or the system's. The system's are
    /// set by their directory, because reading Debian's whole bundle takes OpenSSL 25 ms.
    mutating func trust(_ authority: [UInt8]?) {
        if let authority {
            setBlob(CURLOPT_CAINFO_BLOB, authority)
            setNothing(CURLOPT_CAINFO)
            setNothing(CURLOPT_CAPATH)
        } else if let file = Self.variable("SSL_CERT_FILE") {
            set(CURLOPT_CAINFO, file)
            setNothing(CURLOPT_CAPATH)
        } else {
            let directory = Self.variable("SSL_CERT_DIR") ?? "/etc/ssl/certs"
            guard unsafe access(directory, R_OK) == 0 else { return }
            set(CURLOPT_CAPATH, directory)
            setNothing(CURLOPT_CAINFO)
        }
    }

    func require(oneOf pins: [PublicKeyPin]) {
        guard !pins.isEmpty else { return }
        set(CURLOPT_PINNEDPUBLICKEY, pins.map(\.text).joined(separator: ";"))
    }

    /// Sends Basic authentication with the request. The header is made here, so that libcurl does not get user and
    /// password.
    mutating func logIn(_ login: borrowing Login) { authorization = login.authorization }

    /// Sets the body of a PUT or a POST, and its length.
    mutating func send(_ body: [UInt8]) {
        Curl.requireMemory(sending: body.count)
        set(CURLOPT_POST, 1)
        buffer.require(
            unsafe keytool_curl_set_size(curl.setopt, handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
        // libcurl copies it, because an array has no lasting address.
        unsafe body.withUnsafeBytes { bytes in
            buffer.require(
                unsafe keytool_curl_set_pointer(curl.setopt, handle, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress))
        }
    }

    /// Sets a body of a POST that is read while it is sent, and its length.
    func send(_ upload: HTTPUpload) {
        set(CURLOPT_POST, 1)
        buffer.require(
            unsafe keytool_curl_set_size(curl.setopt, handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(upload.count)))
        buffer.upload = upload
        let context = unsafe Unmanaged.passUnretained(buffer).toOpaque()
        buffer.require(
            unsafe keytool_curl_set_callback(curl.setopt, handle, CURLOPT_READFUNCTION) {
                bytes, size, count, context in
                unsafe ResponseBuffer.of(context).send(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
            })
        buffer.require(unsafe keytool_curl_set_pointer(curl.setopt, handle, CURLOPT_READDATA, context))
    }

    /// Gives the body of an answer with status 200 to `download`.
    func pass(to download: @escaping HTTPDownload) { buffer.download = download }

    /// Calls `progress` while bytes are sent and received.
    func report(to progress: @escaping HTTPProgress) { buffer.progress = progress }

    /// Ends the request if no byte was sent or received for too long. libcurl's own limit is for the average speed and
    /// acts some seconds later.
    private func limitIdleTime() {
        let context = unsafe Unmanaged.passUnretained(buffer).toOpaque()
        let function: keytool_curl_progress = { context, toReceive, received, toSend, sent in
            let buffer = unsafe ResponseBuffer.of(context)
            // The answer begins after everything was sent.
            let isAnswer = toReceive > 0
            buffer.progress?(Int(isAnswer ? received : sent), Int(isAnswer ? toReceive : toSend))
            return buffer.isAlive(transferred: Int(received + sent)) ? 0 : 1
        }
        _ = unsafe keytool_curl_set_progress(curl.setopt, handle, function, context)
    }

    /// Refuses the second sending of a request that must not be repeated: libcurl repeats any request if a kept
    /// connection breaks before the answer's first byte.
    private func count() {
        let context = unsafe Unmanaged.passUnretained(buffer).toOpaque()
        let function: keytool_curl_before_request = { context, _, _, _, _ in
            unsafe ResponseBuffer.of(context).maySend() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
        buffer.require(unsafe keytool_curl_set_before_request(curl.setopt, handle, function, context))
    }

    // MARK: Asking

    /// The result of a request: libcurl's code, and the received part of the response.
    struct Result {
        let code: CURLcode
        let message: String
        /// OpenSSL's result for the certificate: 0, or X509_V_ERR_….
        let verification: Int
        /// The same for the certificate of a proxy; 0 also without a proxy, or for one without TLS. 1 if only its name
        /// does not fit.
        let proxyVerification: Int
        /// Whether this libcurl refused an option. Then nothing was sent.
        let isRefused: Bool
        /// Whether the host's name, or the proxy's, was looked up.
        let isNameLookedUp: Bool
        /// Whether the request ended at a proxy, before TLS with the server.
        let isAtProxy: Bool
        /// Whether a proxy sent headers, or lines that were taken for some.
        let hasProxyHeaders: Bool
        /// A proxy's status for the tunnel to the server, 200 if it confirmed the tunnel; 0 without one.
        let tunnelStatus: Int
        /// Why a SOCKS proxy refused.
        let socksCode: CURLproxycode
        let response: HTTPResponse
    }

    /// Sends the request and waits for the answer.
    consuming func perform(headers: [String]) -> Result {
        let list = unsafe curl.list(headers)
        defer {
            _ = unsafe keytool_curl_set_pointer(curl.setopt, handle, CURLOPT_HTTPHEADER, nil)
            unsafe curl.free(list)
        }
        let code = unsafe perform(with: list)
        let response = HTTPResponse(
            status: number(CURLINFO_RESPONSE_CODE), body: buffer.body, headers: buffer.headers)
        // If the body is not needed, a part of it is enough.
        let isBodyWanted = (method == .get || method == .post) && response.status == 200
        var result = code
        if buffer.isIdle { result = CURLE_OPERATION_TIMEDOUT }
        if buffer.isTooLong { result = CURLE_WEIRD_SERVER_REPLY }
        if buffer.isCut { result = isBodyWanted ? CURLE_FILESIZE_EXCEEDED : CURLE_OK }
        return Result(
            code: result, message: connection.words(code),
            verification: number(CURLINFO_SSL_VERIFYRESULT),
            proxyVerification: number(CURLINFO_PROXY_SSL_VERIFYRESULT),
            isRefused: buffer.refusal != nil,
            isNameLookedUp: buffer.isConnected || number(CURLINFO_NAMELOOKUP_TIME_T) > 0,
            isAtProxy: isAtProxy, hasProxyHeaders: buffer.hasProxyHeaders,
            tunnelStatus: number(CURLINFO_HTTP_CONNECTCODE),
            socksCode: CURLproxycode(rawValue: UInt32(truncatingIfNeeded: number(CURLINFO_PROXY_ERROR))),
            response: response)
    }

    private func perform(with list: UnsafeMutablePointer<curl_slist>?) -> CURLcode {
        switch authorization {
        case .none:
            _ = unsafe keytool_curl_set_pointer(curl.setopt, handle, CURLOPT_HTTPHEADER, list)
            return unsafe buffer.refusal ?? curl.perform(handle)
        case .some(let line):
            return line.withBytes { line in
                unsafe line.withUnsafeBytes { line in
                    // libcurl does not copy the lines of the list.
                    let data = unsafe UnsafeMutableRawPointer(mutating: line.baseAddress!)
                        .assumingMemoryBound(to: CChar.self)
                    var first = unsafe curl_slist(data: data, next: list)
                    return unsafe withUnsafeMutablePointer(to: &first) { first in
                        _ = unsafe keytool_curl_set_pointer(curl.setopt, handle, CURLOPT_HTTPHEADER, first)
                        return unsafe buffer.refusal ?? curl.perform(handle)
                    }
                }
            }
        }
    }

    /// Connects without sending a request.
    consuming func connect() -> Result {
        set(CURLOPT_CONNECT_ONLY, 1)
        return perform(headers: [])
    }

    /// Offers OpenSSL's own list of ciphers, also those without forward secrecy: to find out what a server accepts.
    func offerAllCiphers() { set(CURLOPT_SSL_CIPHER_LIST, "DEFAULT") }

    /// Connects without verifying the certificate and without sending a request.
    /// - Returns: the certificates that the server sends, its own first, each as libcurl's lines of `NAME:TEXT`; empty if
    ///   there is no connection.
    consuming func inspect() -> (result: Result, chain: [[String]]) {
        set(CURLOPT_CONNECT_ONLY, 1)
        set(CURLOPT_SSL_VERIFYPEER, 0)
        set(CURLOPT_SSL_VERIFYHOST, 0)
        setNothing(CURLOPT_PINNEDPUBLICKEY)
        set(CURLOPT_CERTINFO, 1)
        let connection = connection
        let result = perform(headers: [])
        return (result, result.code == CURLE_OK ? Self.chain(of: connection) : [])
    }

    private static func chain(of connection: CurlHandle) -> [[String]] {
        var information: UnsafeMutablePointer<curl_certinfo>?
        _ = unsafe withUnsafeMutablePointer(to: &information) {
            unsafe keytool_curl_get_pointer(connection.curl.getinfo, connection.pointer, CURLINFO_CERTINFO, $0)
        }
        guard let information = unsafe information else { return [] }
        return unsafe (0..<Int(information.pointee.num_of_certs)).map { index in
            var lines: [String] = []
            var next = unsafe information.pointee.certinfo[index]
            while let entry = unsafe next {
                if let text = unsafe entry.pointee.data { lines.append(unsafe String(cString: text)) }
                unsafe next = unsafe entry.pointee.next
            }
            return lines
        }
    }

    /// A proxy is told from the server by its port, and by headers that come before TLS.
    private var isAtProxy: Bool {
        let isElsewhere = connection.port != 0 && connection.port != serverPort
        return !buffer.isConnected && (buffer.hasProxyHeaders || isElsewhere)
    }

    private func number(_ information: CURLINFO) -> Int {
        var value = 0
        _ = unsafe keytool_curl_get_long(curl.getinfo, handle, information, &value)
        return value
    }

    // MARK: Options

    // A refused option may be the one that pins a key, so nothing is sent then.

    private func set(_ option: CURLoption, _ value: Int) {
        buffer.require(unsafe keytool_curl_set_long(curl.setopt, handle, option, value))
    }

    private func set(_ option: CURLoption, _ text: String) {
        buffer.require(unsafe keytool_curl_set_pointer(curl.setopt, handle, option, text))
    }

    private func setNothing(_ option: CURLoption) {
        buffer.require(unsafe keytool_curl_set_pointer(curl.setopt, handle, option, nil))
    }

    private func setBlob(_ option: CURLoption, _ content: [UInt8]) {
        unsafe content.withUnsafeBytes { bytes in
            var blob = unsafe curl_blob(
                data: UnsafeMutableRawPointer(mutating: bytes.baseAddress), len: bytes.count,
                flags: UInt32(CURL_BLOB_COPY))
            buffer.require(unsafe keytool_curl_set_pointer(curl.setopt, handle, option, &blob))
        }
    }

    private func receive() {
        let context = unsafe Unmanaged.passUnretained(buffer).toOpaque()
        _ = unsafe keytool_curl_set_callback(curl.setopt, handle, CURLOPT_WRITEFUNCTION) {
            bytes, size, count, context in
            unsafe ResponseBuffer.of(context).append(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        _ = unsafe keytool_curl_set_pointer(curl.setopt, handle, CURLOPT_WRITEDATA, context)
        _ = unsafe keytool_curl_set_callback(curl.setopt, handle, CURLOPT_HEADERFUNCTION) {
            bytes, size, count, context in
            unsafe ResponseBuffer.of(context).appendHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        _ = unsafe keytool_curl_set_pointer(curl.setopt, handle, CURLOPT_HEADERDATA, context)
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
        return unsafe String(cString: value)
    }
}

extension Duration {
    /// Milliseconds for libcurl, at most 2^31 - 1.
    fileprivate var milliseconds: Int { Int(min(self / .milliseconds(1), Double(Int32.max))) }
}
