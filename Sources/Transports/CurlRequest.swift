internal import CCurl
internal import Glibc
internal import SafeWire
internal import SecureMemory

/// One HTTPS request by libcurl: its own connection, nothing kept from earlier ones.
@safe
struct CurlRequest: ~Copyable {
    enum Method: String {
        case get = "GET"
        case put = "PUT"
        case delete = "DELETE"
        /// WebDAV's: make a folder.
        case mkcol = "MKCOL"
    }

    /// How long a request may take; the whole of it by `total`.
    struct Patience: Sendable {
        var connect = Duration.seconds(15)
        /// Without a byte in either direction.
        var idle = Duration.seconds(30)
        var total = Duration.seconds(120)
    }

    struct Response {
        var status = 0
        var body: [UInt8] = []
        /// In seconds or as a date, as the server wrote it.
        var retryAfter: String?
        /// Where a redirect leads, as the server wrote it.
        var location: String?
        /// The server's clock, as it wrote it.
        var date: String?
        /// The entity tag, as it wrote it.
        var tag: String?
    }

    private let curl: Curl
    private let handle: UnsafeMutableRawPointer
    private let reception: Reception
    private let method: Method
    /// What went wrong, in more words than libcurl's code has.
    private let words: UnsafeMutablePointer<CChar>

    /// - Throws: `.libraryMissing`.
    init(_ method: Method, _ url: String, patience: Patience, limit: Int) throws(SafeExchangeError) {
        guard let curl = Curl.shared, let handle = unsafe curl.makeHandle() else {
            throw .libraryMissing("libcurl4")
        }
        self.curl = curl
        unsafe self.handle = handle
        reception = Reception(limit: limit)
        self.method = method
        unsafe words = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        _ = unsafe keytool_curl_set_pointer(curl.setopt, handle, CURLOPT_ERRORBUFFER, words)
        set(CURLOPT_URL, url)
        set(CURLOPT_CUSTOMREQUEST, method.rawValue)
        set(CURLOPT_PROTOCOLS_STR, "https")
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // Whatever others give it, the server's login is not the proxy's, and headers are the server's alone.
        set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
        set(CURLOPT_CONNECTTIMEOUT_MS, patience.connect.milliseconds)
        set(CURLOPT_TIMEOUT_MS, patience.total.milliseconds)
        set(CURLOPT_LOW_SPEED_LIMIT, 1)
        set(CURLOPT_LOW_SPEED_TIME, max(1, patience.idle.milliseconds / 1000))
        receive()
    }

    deinit {
        unsafe curl.free(handle)
        unsafe words.deallocate()
    }

    // MARK: What is asked

    /// The system's certificate authorities by their folder (reading Debian's whole bundle takes OpenSSL 25 ms),
    /// unless others are given: here, or by OpenSSL's own variables.
    mutating func trust(_ authority: [UInt8]?) {
        if let authority {
            setBlob(CURLOPT_CAINFO_BLOB, authority)
            setNothing(CURLOPT_CAINFO)
            setNothing(CURLOPT_CAPATH)
        } else if let file = Self.variable("SSL_CERT_FILE") {
            set(CURLOPT_CAINFO, file)
            setNothing(CURLOPT_CAPATH)
        } else {
            let folder = Self.variable("SSL_CERT_DIR") ?? "/etc/ssl/certs"
            guard unsafe access(folder, R_OK) == 0 else { return }
            set(CURLOPT_CAPATH, folder)
            setNothing(CURLOPT_CAINFO)
        }
    }

    func require(oneOf pins: [PublicKeyPin]) {
        guard !pins.isEmpty else { return }
        set(CURLOPT_PINNEDPUBLICKEY, pins.map(\.text).joined(separator: ";"))
    }

    /// Basic authentication, sent at once. libcurl keeps a copy until the request ends.
    func logIn(_ login: borrowing SafeServer.Login) {
        set(CURLOPT_HTTPAUTH, keytool_CURLAUTH_BASIC)
        set(CURLOPT_USERNAME, login.user)
        let terminated = login.password.withBytes { password in
            SecureBytes(count: password.count + 1) { bytes in
                for index in password.indices { bytes[index] = password[index] }
            }
        }
        terminated.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { bytes in
                reception.require(
                    unsafe keytool_curl_set_pointer(curl.setopt, handle, CURLOPT_PASSWORD, bytes.baseAddress))
            }
        }
    }

    /// What goes along with a PUT, always with its length.
    mutating func send(_ body: [UInt8]) {
        set(CURLOPT_POST, 1)
        reception.require(
            unsafe keytool_curl_set_size(curl.setopt, handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
        // Copied by libcurl: an array has no address that lasts.
        unsafe body.withUnsafeBytes { bytes in
            reception.require(
                unsafe keytool_curl_set_pointer(curl.setopt, handle, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress))
        }
    }

    /// Calls `watch` while bytes go or come.
    func report(to watch: @escaping CurlExchange.Watch) {
        reception.watch = watch
        let context = unsafe Unmanaged.passUnretained(reception).toOpaque()
        let function: keytool_curl_progress = { context, toReceive, received, toSend, sent in
            // An answer comes when everything is sent.
            let isAnswer = toReceive > 0
            unsafe Reception.of(context).watch?(Int(isAnswer ? received : sent), Int(isAnswer ? toReceive : toSend))
            return 0
        }
        _ = unsafe keytool_curl_set_progress(curl.setopt, handle, function, context)
    }

    // MARK: Asking

    /// libcurl's verdict, and the response as far as it came.
    struct Outcome {
        let code: CURLcode
        let message: String
        /// OpenSSL's verdict on the certificate: 0, or X509_V_ERR_….
        let verification: Int
        let response: Response
    }

    /// Sends it and waits.
    consuming func perform(headers: [String]) -> Outcome {
        let list = unsafe curl.list(headers)
        defer { unsafe curl.free(list) }
        _ = unsafe keytool_curl_set_pointer(curl.setopt, handle, CURLOPT_HTTPHEADER, list)
        let code = unsafe reception.refusal ?? curl.perform(handle)
        var response = Response(body: reception.body, retryAfter: reception.header("retry-after"))
        response.date = reception.header("date")
        response.status = number(CURLINFO_RESPONSE_CODE)
        response.location = reception.header("location")
        response.tag = reception.header("etag")
        // Where the body does not matter, as much of it as came is enough.
        let isBodyWanted = method == .get && response.status == 200
        var verdict = code
        if reception.isTooLong { verdict = CURLE_FILESIZE_EXCEEDED }
        if reception.isCut { verdict = isBodyWanted ? CURLE_FILESIZE_EXCEEDED : CURLE_OK }
        let message = unsafe String(cString: words)
        return Outcome(
            code: verdict, message: message.isEmpty ? curl.message(code) : message,
            verification: number(CURLINFO_SSL_VERIFYRESULT), response: response)
    }

    /// Connects without asking anything, and without trusting anybody.
    /// - Returns: the certificates that the server shows, its own first; each as libcurl's list of `NAME:TEXT`.
    consuming func inspect() -> [[String]] {
        set(CURLOPT_CONNECT_ONLY, 1)
        set(CURLOPT_SSL_VERIFYPEER, 0)
        set(CURLOPT_SSL_VERIFYHOST, 0)
        setNothing(CURLOPT_PINNEDPUBLICKEY)
        set(CURLOPT_CERTINFO, 1)
        guard unsafe (reception.refusal ?? curl.perform(handle)) == CURLE_OK else { return [] }
        var information: UnsafeMutablePointer<curl_certinfo>?
        _ = unsafe withUnsafeMutablePointer(to: &information) {
            unsafe keytool_curl_get_pointer(curl.getinfo, handle, CURLINFO_CERTINFO, $0)
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

    private func number(_ information: CURLINFO) -> Int {
        var value = 0
        _ = unsafe keytool_curl_get_long(curl.getinfo, handle, information, &value)
        return value
    }

    // MARK: Options

    // An option that this libcurl does not take may be the one that demands a key: then nothing is sent.

    private func set(_ option: CURLoption, _ value: Int) {
        reception.require(unsafe keytool_curl_set_long(curl.setopt, handle, option, value))
    }

    private func set(_ option: CURLoption, _ text: String) {
        reception.require(unsafe keytool_curl_set_pointer(curl.setopt, handle, option, text))
    }

    private func setNothing(_ option: CURLoption) {
        reception.require(unsafe keytool_curl_set_pointer(curl.setopt, handle, option, nil))
    }

    private func setBlob(_ option: CURLoption, _ content: [UInt8]) {
        unsafe content.withUnsafeBytes { bytes in
            var blob = unsafe curl_blob(
                data: UnsafeMutableRawPointer(mutating: bytes.baseAddress), len: bytes.count,
                flags: UInt32(CURL_BLOB_COPY))
            reception.require(unsafe keytool_curl_set_pointer(curl.setopt, handle, option, &blob))
        }
    }

    private func receive() {
        let context = unsafe Unmanaged.passUnretained(reception).toOpaque()
        _ = unsafe keytool_curl_set_callback(curl.setopt, handle, CURLOPT_WRITEFUNCTION) {
            bytes, size, count, context in
            unsafe Reception.of(context).append(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        _ = unsafe keytool_curl_set_pointer(curl.setopt, handle, CURLOPT_WRITEDATA, context)
        _ = unsafe keytool_curl_set_callback(curl.setopt, handle, CURLOPT_HEADERFUNCTION) {
            bytes, size, count, context in
            unsafe Reception.of(context).appendHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        _ = unsafe keytool_curl_set_pointer(curl.setopt, handle, CURLOPT_HEADERDATA, context)
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
        return unsafe String(cString: value)
    }
}

/// What arrives, up to a limit.
private final class Reception {
    private(set) var body: [UInt8] = []
    var watch: CurlExchange.Watch?
    /// Why an option was not taken.
    private(set) var refusal: CURLcode?
    /// Whether the body was longer than the limit.
    private(set) var isCut = false
    /// Whether the headers were.
    private(set) var isTooLong = false
    private var headers: [String: String] = [:]
    private var headerBytes = 0
    private let limit: Int
    private static let maxHeaderBytes = 64 * 1024

    init(limit: Int) { self.limit = limit }

    /// What libcurl says of an option.
    func require(_ code: CURLcode) {
        if code != CURLE_OK { refusal = refusal ?? code }
    }

    static func of(_ context: UnsafeMutableRawPointer?) -> Reception {
        unsafe Unmanaged<Reception>.fromOpaque(context!).takeUnretainedValue()
    }

    /// - Returns: how many bytes were taken; fewer than given ends the transfer.
    func append(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard bytes.count <= limit - body.count else {
            isCut = true
            return 0
        }
        unsafe body.append(contentsOf: bytes)
        return bytes.count
    }

    func appendHeader(_ bytes: UnsafeRawBufferPointer) -> Int {
        headerBytes += bytes.count
        guard headerBytes <= Self.maxHeaderBytes else {
            isTooLong = true
            return 0
        }
        let line = unsafe String(decoding: bytes, as: UTF8.self)
        // Another status line: what came before was an interim answer, or the proxy's.
        if line.hasPrefix("HTTP/") { headers = [:] }
        if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].filter { !$0.isNewline }.drop { $0 == " " }
            headers[line[..<colon].lowercased()] = String(value)
        }
        return bytes.count
    }

    func header(_ name: String) -> String? { headers[name] }
}

extension Duration {
    /// No more than libcurl counts.
    fileprivate var milliseconds: Int { Int(min(self / .milliseconds(1), Double(Int32.max))) }
}

extension CurlRequest.Response {
    /// Seconds after which the server wants to be asked again, at least 1; nil if it does not say, or says nothing that
    /// makes sense.
    var secondsToWait: Int? {
        guard let retryAfter else { return nil }
        if let seconds = Int(retryAfter) { return seconds >= 0 ? max(1, seconds) : nil }
        // A date counts from the server's own clock, if it shows it.
        guard let until = Curl.shared?.seconds(of: retryAfter) else { return nil }
        return max(1, until - (serverTime ?? time(nil)))
    }

    /// The entity tag if it is a strong one (RFC 9110, 8.8.3), quotes included.
    var strongTag: String? {
        let quote = UInt8(ascii: "\"")
        guard let tag = tag?.utf8, (2...Self.maxTagBytes).contains(tag.count), tag.first == quote, tag.last == quote,
            tag.dropFirst().dropLast().allSatisfy({ (0x21...0x7e).contains($0) && $0 != quote })
        else { return nil }
        return self.tag
    }

    private static var maxTagBytes: Int { 256 }

    /// How far the server's clock is ahead of ours; nil where it shows none.
    var clockLead: Duration? { serverTime.map { .seconds($0 - time(nil)) } }

    /// In seconds since the epoch.
    private var serverTime: Int? { date.flatMap { Curl.shared?.seconds(of: $0) } }
}
