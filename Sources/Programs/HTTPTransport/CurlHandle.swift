internal import CCurl
internal import HTTP

/// libcurl's handle for one endpoint. Between requests it retains the open connection, the TLS session and the resolved
/// address. Options, URL, headers and bodies are wiped in between.
///
/// One request at a time uses it. libcurl compares the options of a connection before it uses it again, but this code
/// does not rely on that: other endpoints, and unverified connections, have handles of their own.
@safe
final class CurlHandle: @unchecked Sendable {
    let curl: Curl
    let pointer: UnsafeMutableRawPointer
    /// libcurl writes its error message there.
    private let message: UnsafeMutablePointer<CChar>
    /// Where the last connection was opened to, or was to be: the server's port, or a proxy's; 0 before the first.
    private let openedPort: UnsafeMutablePointer<CInt>
    /// Retained because libcurl has its address for callbacks.
    private var buffer: ResponseBuffer?

    /// - Throws: `.libraryMissing`, `.libraryNeedsMemory`.
    init() throws(HTTPError) {
        curl = try Curl.shared()
        guard let pointer = unsafe curl.makeHandle() else { throw .libraryNeedsMemory }
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

    /// Resets the options of the last request. The connection stays open.
    func prepare(for buffer: ResponseBuffer) {
        unsafe curl.reset(pointer)
        unsafe message.pointee = 0
        self.buffer = buffer
        _ = unsafe keytool_curl_set_pointer(curl.setopt, pointer, CURLOPT_ERRORBUFFER, message)
        buffer.require(unsafe keytool_curl_note_port(curl.setopt, pointer, openedPort))
    }

    /// Where the connection of the last request leads, whether or not it was established; 0 if none was tried.
    var port: Int { unsafe Int(openedPort.pointee) }

    /// Wipes the last request in libcurl, and releases the response buffer.
    func forget() {
        unsafe curl.reset(pointer)
        buffer = nil
    }

    /// libcurl's error message; the text of the code if there is no message.
    func words(_ code: CURLcode) -> String {
        let message = unsafe String(cString: message)
        return message.isEmpty ? curl.message(code) : message
    }
}
