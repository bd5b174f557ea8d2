internal import CZip
internal import SecureMemory

/// libzip, opened on first use, so that other commands start without it. It decrypts one entry that is in memory, and
/// does nothing else: it opens no file, and what it decrypts is inflated by `Deflate`.
@safe
struct Libzip: @unchecked Sendable {
    /// The library, opened once in this process.
    private static let opened = Result { () throws(SharedLibrary.Failure) in try Libzip() }

    /// - Throws: `.libraryMissing`, `.libraryNeedsMemory`.
    static func shared() throws(DataBackupError) -> Libzip {
        do {
            return try opened.get()
        } catch {
            switch error {
            case .missing(_, let packages): throw .libraryMissing(packages: packages)
            case .needsMemory: throw .libraryNeedsMemory
            }
        }
    }

    /// Of the library that was opened; nil if none can be used.
    static var version: String? { (try? opened.get()).map { unsafe String(cString: $0.version()) } }

    private typealias Failure = UnsafeMutablePointer<zip_error_t>
    private typealias MakeSource = @convention(c) (UnsafeRawPointer?, UInt64, CInt, Failure?) -> OpaquePointer?
    private typealias OpenSource = @convention(c) (OpaquePointer?, CInt, Failure?) -> OpaquePointer?
    private typealias OpenEntry =
        @convention(c) (
            OpaquePointer?, UInt64, UInt32, UnsafePointer<CChar>?
        ) -> OpaquePointer?
    private typealias ReadEntry = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, UInt64) -> Int64
    private typealias CloseEntry = @convention(c) (OpaquePointer?) -> CInt
    private typealias Release = @convention(c) (OpaquePointer?) -> Void
    private typealias FailureOf = @convention(c) (OpaquePointer?) -> Failure?
    private typealias Code = @convention(c) (Failure?) -> CInt

    private let makeSource: MakeSource
    private let freeSource: Release
    private let openSource: OpenSource
    private let discard: Release
    private let openEntry: OpenEntry
    private let readEntry: ReadEntry
    private let closeEntry: CloseEntry
    private let failureOfArchive: FailureOf
    private let failureOfEntry: FailureOf
    private let code: Code
    private let version: @convention(c) () -> UnsafePointer<CChar>

    private init() throws(SharedLibrary.Failure) {
        // What is used of it is the same in both.
        let library = try SharedLibrary(
            "libzip", ["libzip.so.5", "libzip.so.4"], packages: ["libzip5", "libzip4"], loading: 16 * 1024 * 1024)
        unsafe makeSource = try library.function("zip_source_buffer_create")
        unsafe freeSource = try library.function("zip_source_free")
        unsafe openSource = try library.function("zip_open_from_source")
        unsafe discard = try library.function("zip_discard")
        unsafe openEntry = try library.function("zip_fopen_index_encrypted")
        unsafe readEntry = try library.function("zip_fread")
        unsafe closeEntry = try library.function("zip_fclose")
        unsafe failureOfArchive = try library.function("zip_get_error")
        unsafe failureOfEntry = try library.function("zip_file_get_error")
        unsafe version = try library.function("zip_libzip_version")
        unsafe code = try library.function("zip_error_code_zip")
    }

    /// Why an entry was not decrypted.
    enum DecryptionError: Error, Equatable {
        /// The password does not fit the check in front of the ciphertext. One in 65,536 wrong passwords fits.
        case wrongPassword
        /// The tag does not fit.
        case notAuthentic
        /// Another error, by libzip's number.
        case failed(CInt)
    }

    /// Decrypts the only entry of an archive, without inflating it. All of it is authenticated before this returns.
    /// - Parameters:
    ///   - archive: made by `SingleEntryArchive`.
    ///   - count: length of the compressed content in bytes.
    ///   - password: ends with a NUL byte, and has no other. libzip makes a copy, which it wipes before this returns.
    func decrypt(
        _ archive: [UInt8], count: Int, password: borrowing SecureBytes
    ) throws(DecryptionError) -> SecureBytes {
        // The derived keys are on the stack.
        defer { SpentStack.wipe() }
        // libzip refers to these bytes until the archive is closed.
        let bytes = archive.span
        return try SecureBytes(count: count) { (content) throws(DecryptionError) in
            let error = unsafe bytes.withUnsafeBytes { bytes in
                unsafe content.withUnsafeMutableBytes { content in
                    password.withBytes { password in
                        unsafe password.withUnsafeBytes { password in
                            unsafe decrypt(bytes, into: content, password.baseAddress!)
                        }
                    }
                }
            }
            if let error { throw error }
        }
    }

    private func decrypt(
        _ bytes: UnsafeRawBufferPointer, into content: UnsafeMutableRawBufferPointer, _ password: UnsafeRawPointer
    ) -> DecryptionError? {
        let memory = DecryptionError.failed(ZIP_ER_MEMORY)
        guard let source = unsafe makeSource(bytes.baseAddress, UInt64(bytes.count), 0, nil) else { return memory }
        guard let archive = unsafe openSource(source, ZIP_RDONLY | ZIP_CHECKCONS, nil) else {
            unsafe freeSource(source)
            return .failed(ZIP_ER_INCONS)
        }
        defer { unsafe discard(archive) }
        let text = unsafe password.assumingMemoryBound(to: CChar.self)
        guard let entry = unsafe openEntry(archive, 0, ZIP_FL_COMPRESSED, text) else {
            let code = unsafe code(failureOfArchive(archive))
            return code == ZIP_ER_WRONGPASSWD ? .wrongPassword : .failed(code)
        }
        defer { _ = unsafe closeEntry(entry) }
        var used = 0
        // The tag is compared when the end is reached, so it is read past the last byte.
        var spare: UInt8 = 0
        while true {
            let isFull = used == content.count
            let count = unsafe withUnsafeMutableBytes(of: &spare) { spare in
                unsafe isFull
                    ? readEntry(entry, spare.baseAddress, 1)
                    : readEntry(entry, content.baseAddress! + used, UInt64(content.count - used))
            }
            guard count >= 0 else {
                let code = unsafe code(failureOfEntry(entry))
                return code == ZIP_ER_CRC ? .notAuthentic : .failed(code)
            }
            if count == 0 { return used == content.count ? nil : .notAuthentic }
            guard !isFull else { return .notAuthentic }
            used += Int(count)
        }
    }
}
