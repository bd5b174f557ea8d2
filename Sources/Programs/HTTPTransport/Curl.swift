internal import CCurl
internal import Glibc
internal import HTTP
internal import SecureMemory

/// libcurl, opened on first use, so that other commands start without it. It wipes the memory that it frees.
@safe
struct Curl: @unchecked Sendable {
    /// The Debian package.
    static let package = "libcurl4"

    /// Most memory of one request without its body, in bytes: 1.1 MiB for OpenSSL's handshake, as measured, and the
    /// stack of the thread that looks the name up.
    private static let requestBytes = 4 * 1024 * 1024 + defaultStackBytes

    /// Ends the process if the system refuses the memory of a request. Otherwise libcurl and OpenSSL would report a
    /// failed allocation as a failure of the server or its certificate.
    /// - Parameter count: length of the body in bytes.
    static func requireMemory(sending count: Int) { MemoryShortage.require(requestBytes + count) }

    private static var defaultStackBytes: Int {
        var attributes = pthread_attr_t()
        var bytes = 0
        guard unsafe pthread_attr_init(&attributes) == 0 else { return 0 }
        unsafe pthread_attr_getstacksize(&attributes, &bytes)
        unsafe pthread_attr_destroy(&attributes)
        return bytes
    }

    /// The library, opened once in this process.
    static let opened = Result { () throws(SharedLibrary.Failure) in try Curl() }

    /// - Throws: `.libraryMissing`, `.libraryNeedsMemory`.
    static func shared() throws(HTTPError) -> Curl {
        do {
            return try opened.get()
        } catch {
            switch error {
            case .missing: throw .libraryMissing(package: Self.package)
            case .needsMemory: throw .libraryNeedsMemory
            }
        }
    }

    let setopt: UnsafeMutableRawPointer
    let getinfo: UnsafeMutableRawPointer
    private let make: @convention(c) () -> UnsafeMutableRawPointer?
    private let performRequest: @convention(c) (UnsafeMutableRawPointer?) -> CURLcode
    private let resetHandle: @convention(c) (UnsafeMutableRawPointer?) -> Void
    private let cleanup: @convention(c) (UnsafeMutableRawPointer?) -> Void
    private let append:
        @convention(c) (UnsafeMutablePointer<curl_slist>?, UnsafePointer<CChar>?) -> UnsafeMutablePointer<curl_slist>?
    private let freeList: @convention(c) (UnsafeMutablePointer<curl_slist>?) -> Void
    private let versionText: @convention(c) () -> UnsafePointer<CChar>
    private let words: @convention(c) (CURLcode) -> UnsafePointer<CChar>?

    private init() throws(SharedLibrary.Failure) {
        // This variable would make it write the keys of connections to a file.
        unsafe unsetenv("SSLKEYLOGFILE")
        let library = try SharedLibrary(
            "libcurl", ["libcurl.so.4"], packages: [Self.package], loading: 32 * 1024 * 1024)
        unsafe setopt = try library.address(of: "curl_easy_setopt")
        unsafe getinfo = try library.address(of: "curl_easy_getinfo")
        unsafe make = try library.function("curl_easy_init")
        unsafe performRequest = try library.function("curl_easy_perform")
        unsafe resetHandle = try library.function("curl_easy_reset")
        unsafe cleanup = try library.function("curl_easy_cleanup")
        unsafe append = try library.function("curl_slist_append")
        unsafe freeList = try library.function("curl_slist_free_all")
        unsafe versionText = try library.function("curl_version")
        unsafe words = try library.function("curl_easy_strerror")
        guard unsafe keytool_curl_start(try library.address(of: "curl_global_init_mem")) == CURLE_OK else {
            throw library.failure
        }
    }

    /// As libcurl says it: "libcurl/7.88.1 OpenSSL/3.0.17 …".
    var version: String { unsafe String(cString: versionText()) }

    func makeHandle() -> UnsafeMutableRawPointer? { unsafe make() }
    func perform(_ handle: UnsafeMutableRawPointer) -> CURLcode { unsafe performRequest(handle) }
    func reset(_ handle: UnsafeMutableRawPointer) { unsafe resetHandle(handle) }
    func free(_ handle: UnsafeMutableRawPointer) { unsafe cleanup(handle) }
    func free(_ list: UnsafeMutablePointer<curl_slist>?) { unsafe freeList(list) }

    func list(_ lines: [String]) -> UnsafeMutablePointer<curl_slist>? {
        unsafe lines.reduce(nil) { list, line in unsafe append(list, line) }
    }

    func message(_ code: CURLcode) -> String { unsafe words(code).map { unsafe String(cString: $0) } ?? "" }
}
