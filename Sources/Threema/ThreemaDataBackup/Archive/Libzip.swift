internal import CZip
internal import Glibc
internal import SecureMemory

/// libzip, opened on first use, so that other commands start without it. It decrypts one entry that is in memory, and
/// does nothing else: it opens no file, and what it decrypts is inflated by `Deflate`.
@safe
struct Libzip: @unchecked Sendable {
    private static let name = "libzip.so.4"
    /// The Debian package.
    static let package = "libzip4"
    /// Most memory that loading it takes, including its own libraries, in bytes.
    private static let loadingBytes = 16 * 1024 * 1024

    /// The library, opened once in this process.
    /// - Returns: nil if it cannot be loaded.
    static let shared = Libzip()

    /// Why `shared` is nil. The loader does not distinguish a missing library from a lack of memory.
    static var reasonOfAbsence: DataBackupError {
        MemoryShortage.isShort(of: loadingBytes) ? .libraryNeedsMemory : .libraryMissing(package: package)
    }

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

    private init?() {
        guard let library = unsafe dlopen(Self.name, RTLD_NOW | RTLD_LOCAL) else { return nil }
        guard let makeSource = unsafe dlsym(library, "zip_source_buffer_create"),
            let freeSource = unsafe dlsym(library, "zip_source_free"),
            let openSource = unsafe dlsym(library, "zip_open_from_source"),
            let discard = unsafe dlsym(library, "zip_discard"),
            let openEntry = unsafe dlsym(library, "zip_fopen_index_encrypted"),
            let readEntry = unsafe dlsym(library, "zip_fread"),
            let closeEntry = unsafe dlsym(library, "zip_fclose"),
            let failureOfArchive = unsafe dlsym(library, "zip_get_error"),
            let failureOfEntry = unsafe dlsym(library, "zip_file_get_error"),
            let code = unsafe dlsym(library, "zip_error_code_zip")
        else { return nil }
        unsafe self.makeSource = unsafeBitCast(makeSource, to: MakeSource.self)
        unsafe self.freeSource = unsafeBitCast(freeSource, to: Release.self)
        unsafe self.openSource = unsafeBitCast(openSource, to: OpenSource.self)
        unsafe self.discard = unsafeBitCast(discard, to: Release.self)
        unsafe self.openEntry = unsafeBitCast(openEntry, to: OpenEntry.self)
        unsafe self.readEntry = unsafeBitCast(readEntry, to: ReadEntry.self)
        unsafe self.closeEntry = unsafeBitCast(closeEntry, to: CloseEntry.self)
        unsafe self.failureOfArchive = unsafeBitCast(failureOfArchive, to: FailureOf.self)
        unsafe self.failureOfEntry = unsafeBitCast(failureOfEntry, to: FailureOf.self)
        unsafe self.code = unsafeBitCast(code, to: Code.self)
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
