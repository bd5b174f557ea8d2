internal import CCurl
internal import Glibc
internal import HTTP
internal import SecureMemory

/// libcurl, opened on first use, so that other commands start without it. It wipes the memory that it frees.
@safe
struct Curl: @unchecked Sendable {
    private static let name = "libcurl.so.4"
    /// The Debian package.
    static let package = "libcurl4"
    /// Most memory that loading it takes, including its own libraries, in bytes.
    private static let loadingBytes = 32 * 1024 * 1024

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
    /// - Returns: nil if it cannot be loaded.
    static let shared = Curl()

    /// Why `shared` is nil. The loader does not distinguish a missing library from a lack of memory.
    static var reasonOfAbsence: HTTPError {
        MemoryShortage.isShort(of: loadingBytes) ? .libraryNeedsMemory : .libraryMissing(package: package)
    }

    private let library: UnsafeMutableRawPointer
    let setopt: UnsafeMutableRawPointer
    let getinfo: UnsafeMutableRawPointer
    private let make: @convention(c) () -> UnsafeMutableRawPointer?
    private let performRequest: @convention(c) (UnsafeMutableRawPointer?) -> CURLcode
    private let resetHandle: @convention(c) (UnsafeMutableRawPointer?) -> Void
    private let cleanup: @convention(c) (UnsafeMutableRawPointer?) -> Void
    private let append:
        @convention(c) (UnsafeMutablePointer<curl_slist>?, UnsafePointer<CChar>?) -> UnsafeMutablePointer<curl_slist>?
    private let freeList: @convention(c) (UnsafeMutablePointer<curl_slist>?) -> Void
    private let words: @convention(c) (CURLcode) -> UnsafePointer<CChar>?

    private init?() {
        // This variable would make it write the keys of connections to a file.
        unsafe unsetenv("SSLKEYLOGFILE")
        guard let library = unsafe dlopen(Self.name, RTLD_NOW | RTLD_LOCAL) else { return nil }
        guard let initialize = unsafe dlsym(library, "curl_global_init_mem"),
            let setopt = unsafe dlsym(library, "curl_easy_setopt"),
            let getinfo = unsafe dlsym(library, "curl_easy_getinfo"),
            let make = unsafe dlsym(library, "curl_easy_init"),
            let perform = unsafe dlsym(library, "curl_easy_perform"),
            let reset = unsafe dlsym(library, "curl_easy_reset"),
            let cleanup = unsafe dlsym(library, "curl_easy_cleanup"),
            let append = unsafe dlsym(library, "curl_slist_append"),
            let freeList = unsafe dlsym(library, "curl_slist_free_all"),
            let words = unsafe dlsym(library, "curl_easy_strerror"),
            unsafe keytool_curl_start(initialize) == CURLE_OK
        else { return nil }
        unsafe self.library = library
        unsafe self.setopt = setopt
        unsafe self.getinfo = getinfo
        unsafe self.make = unsafeBitCast(make, to: (@convention(c) () -> UnsafeMutableRawPointer?).self)
        unsafe performRequest = unsafeBitCast(
            perform, to: (@convention(c) (UnsafeMutableRawPointer?) -> CURLcode).self)
        unsafe resetHandle = unsafeBitCast(reset, to: (@convention(c) (UnsafeMutableRawPointer?) -> Void).self)
        unsafe self.cleanup = unsafeBitCast(cleanup, to: (@convention(c) (UnsafeMutableRawPointer?) -> Void).self)
        unsafe self.append = unsafeBitCast(
            append,
            to: (@convention(c) (UnsafeMutablePointer<curl_slist>?, UnsafePointer<CChar>?) -> UnsafeMutablePointer<
                curl_slist
            >?).self)
        unsafe self.freeList = unsafeBitCast(
            freeList, to: (@convention(c) (UnsafeMutablePointer<curl_slist>?) -> Void).self)
        unsafe self.words = unsafeBitCast(words, to: (@convention(c) (CURLcode) -> UnsafePointer<CChar>?).self)
    }

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
