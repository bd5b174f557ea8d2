internal import CCurl
internal import HTTP

/// libcurl's handle for one endpoint. From one request to the next it keeps the open connection, the session of TLS and
/// the address behind the name; options, URL, headers and bodies are wiped and forgotten in between.
///
/// Used by one request at a time. libcurl compares what a connection was made with before it uses it again, but nothing
/// here relies on that: another endpoint, and the look at a certificate that is not verified, have handles of their
/// own.
@safe
final class CurlHandle: @unchecked Sendable {
    let curl: Curl
    let pointer: UnsafeMutableRawPointer
    /// Where libcurl writes what went wrong, in more words than its code has.
    private let message: UnsafeMutablePointer<CChar>
    /// Where the last connection was opened to, or was to be: the server's port, or a proxy's; 0 before the first.
    private let openedPort: UnsafeMutablePointer<CInt>
    /// What libcurl has the address of, as long as it may call back.
    private var buffer: ResponseBuffer?

    /// - Throws: `.libraryMissing`, `.libraryNeedsMemory`.
    init() throws(HTTPError) {
        guard let curl = Curl.shared, let pointer = unsafe curl.makeHandle() else { throw Curl.reasonOfAbsence }
        self.curl = curl
        unsafe self.pointer = pointer
        unsafe message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        unsafe openedPort = .allocate(capacity: 1)
        unsafe openedPort.initialize(to: 0)
    }

    deinit {
        unsafe curl.free(pointer)
        unsafe message.deallocate()
        unsafe openedPort.deallocate()
    }

    /// Forgets the last request and its options; connections stay.
    func prepare(for buffer: ResponseBuffer) {
        unsafe curl.reset(pointer)
        unsafe message.pointee = 0
        self.buffer = buffer
        _ = unsafe keytool_curl_set_pointer(curl.setopt, pointer, CURLOPT_ERRORBUFFER, message)
        buffer.require(unsafe keytool_curl_note_port(curl.setopt, pointer, openedPort))
    }

    /// Where the connection of the last request leads, whether or not it was established; 0 if none was tried.
    var port: Int { unsafe Int(openedPort.pointee) }

    /// Wipes what the last request has left in libcurl. What was received is let go.
    func forget() {
        unsafe curl.reset(pointer)
        buffer = nil
    }

    /// What went wrong; the code's own words if there are no better ones.
    func words(_ code: CURLcode) -> String {
        let message = unsafe String(cString: message)
        return message.isEmpty ? curl.message(code) : message
    }
}
