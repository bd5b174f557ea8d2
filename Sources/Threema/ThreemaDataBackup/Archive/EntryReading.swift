internal import Encodings
internal import SecureMemory

extension EncryptedEntry {
    /// Decrypts, authenticates and inflates the content, in this order.
    /// - Throws: `.wrongPassword` if the password does not fit; `.damagedEntry` if the data is not authentic, or not
    ///   exactly one deflate stream of the announced length; `.library…`; as `ArchiveSource.read`.
    func read(from source: ArchiveSource, password: borrowing ZIPPassword) throws(DataBackupError) -> SecureBytes {
        let compressed = try decrypt(from: source, password: password)
        if method == 0 { return try checked(compressed) }
        let content = compressed.withBytes { Deflate.open($0, count: contentCount) }
        guard let content else { throw .damagedEntry(name) }
        return try checked(content)
    }

    private func decrypt(
        from source: ArchiveSource, password: borrowing ZIPPassword
    ) throws(DataBackupError) -> SecureBytes {
        let libzip = try Libzip.shared()
        let archive = try SingleEntryArchive.make(self, from: source)
        do throws(Libzip.DecryptionError) {
            return try libzip.decrypt(archive, count: data.count - Self.overhead, password: password.bytes)
        } catch {
            switch error {
            case .wrongPassword: throw .wrongPassword
            case .notAuthentic: throw .damagedEntry(name)
            case .failed(let code): throw .library(code: code)
            }
        }
    }

    private func checked(_ content: consuming SecureBytes) throws(DataBackupError) -> SecureBytes {
        let isRight = version == 2 || content.withBytes { Int(Deflate.checksum($0)) } == checksum
        guard isRight else { throw .damagedEntry(name) }
        return content
    }
}
