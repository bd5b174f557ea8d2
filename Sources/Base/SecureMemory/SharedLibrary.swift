internal import Glibc

/// A shared library of the system that is opened when it is first needed: what does not need it starts without it, also
/// where it is not installed. It stays open until the process ends.
@safe
package struct SharedLibrary: @unchecked Sendable {
    /// Why a library cannot be used.
    package enum Failure: Error, Equatable, Sendable {
        /// It, or a function of it, is missing. `packages` are its Debian packages, one for each release of Debian.
        case missing(library: String, packages: [String])
        /// The system refuses the memory to load it.
        case needsMemory(library: String)
    }

    private let handle: UnsafeMutableRawPointer
    private let missing: Failure
    private let loadingBytes: Int

    /// Opens the first of `files` that is there.
    /// - Parameters:
    ///   - name: as its authors call it.
    ///   - files: names with the version of the interface, like `libcurl.so.4`; the most wanted first.
    ///   - packages: its Debian packages, one of which is wanted.
    ///   - bytes: most memory that loading it takes, including its own libraries. The loader does not distinguish a
    ///     missing library from a lack of memory.
    package init(_ name: String, _ files: [String], packages: [String], loading bytes: Int) throws(Failure) {
        missing = .missing(library: name, packages: packages)
        loadingBytes = bytes
        for file in files {
            if let opened = unsafe dlopen(file, RTLD_NOW | RTLD_LOCAL) {
                unsafe handle = opened
                return
            }
        }
        throw Self.failure(missing, loading: bytes)
    }

    /// Why it cannot be used, after something of it could not be.
    package var failure: Failure { Self.failure(missing, loading: loadingBytes) }

    private static func failure(_ missing: Failure, loading bytes: Int) -> Failure {
        guard case .missing(let library, _) = missing, MemoryShortage.isShort(of: bytes) else { return missing }
        return .needsMemory(library: library)
    }

    /// The address of a function.
    package func address(of function: String) throws(Failure) -> UnsafeMutableRawPointer {
        guard let address = unsafe dlsym(handle, function) else { throw failure }
        return unsafe address
    }

    /// A function, by its name. The type is not checked: it has to be that of the library's header, `@convention(c)`.
    @unsafe
    package func function<Function>(_ name: String, as type: Function.Type = Function.self) throws(Failure) -> Function
    {
        unsafe unsafeBitCast(try address(of: name), to: type)
    }
}
