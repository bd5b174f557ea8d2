internal import Encodings
internal import SecureMemory
internal import Threema
internal import ThreemaSafe

extension DataBackup {
    /// The form of the password that opens the file.
    /// - Throws: `.wrongPassword`; `.damagedEntry` if the password opens `identity`, but not `settings`.
    func fittingForm(of password: borrowing SecureBytes) throws(DataBackupError) -> ZIPPassword {
        for form in ZIPPassword.Form.allCases {
            guard let candidate = ZIPPassword(password, as: form) else { continue }
            if try isOpened(Self.settingsName, by: candidate) { return candidate }
            if try isOpened(Self.identityName, by: candidate) { throw .damagedEntry(Self.settingsName) }
        }
        throw .wrongPassword
    }

    private func isOpened(_ name: String, by password: borrowing ZIPPassword) throws(DataBackupError) -> Bool {
        do throws(DataBackupError) {
            _ = try read(name, password)
            return true
        } catch {
            switch error {
            case .wrongPassword, .damagedEntry: return false
            default: throw error
            }
        }
    }

    /// The content of an entry that was checked to be there.
    private func read(_ name: String, _ password: borrowing ZIPPassword) throws(DataBackupError) -> SecureBytes {
        guard let entry = entries[name] else { throw .missing(entry: name) }
        return try entry.read(from: source, password: password)
    }

    /// The content of an entry. The password has opened another one, so a failure is the entry's.
    private func readDamaged(_ name: String, _ password: borrowing ZIPPassword) throws(DataBackupError) -> SecureBytes {
        do throws(DataBackupError) { return try read(name, password) } catch {
            throw error == .wrongPassword ? .damagedEntry(name) : error
        }
    }

    /// The last row of two cells whose first is `version`.
    /// - Returns: 1 without such a row.
    func version(_ password: borrowing ZIPPassword) throws(DataBackupError) -> Int {
        let content = try readDamaged(Self.settingsName, password)
        var text = "1"
        content.withBytes { content in
            CSV.forEachRow(in: content) { row in
                if row.cells.count == 2, row.cells[0] == "version" { text = row.cells[1] }
                return true
            }
        }
        guard let version = Int(text), version > 0 else { throw .noVersion }
        return version
    }

    func identity(
        _ password: borrowing ZIPPassword, _ typed: borrowing SecureBytes
    ) throws(DataBackupError) -> Identity {
        let content = try readDamaged(Self.identityName, password)
        guard let code = try? GroupedCode(parsing: content.revealText()) else { throw .damagedCode }
        do throws(IDBackupError) {
            return try typed.withBytes { (typed) throws(IDBackupError) in try IDBackup.open(code, password: typed) }
        } catch {
            if case .derivation = error { throw .code(error) }
            throw .damagedCode
        }
    }

    /// Lends a table to `body`, if the file has it.
    func withTable(
        _ name: String, _ password: borrowing ZIPPassword,
        _ body: (Span<UInt8>) throws(DataBackupError) -> Void
    ) throws(DataBackupError) {
        guard entries[name] != nil else { return }
        let content = try readDamaged(name, password)
        try content.withBytes { (content) throws(DataBackupError) in try body(content) }
    }

    /// The own picture. A damaged one does not keep the rest from being read.
    func picture(of id: ThreemaID, _ password: borrowing ZIPPassword) throws(DataBackupError) -> OwnPicture {
        do throws(DataBackupError) {
            // Files of old apps name it by the own ID.
            let found: DirectoryEntry? = if let picture { picture } else { try directory.entry("contact_avatar_\(id)") }
            guard let found else { return .none }
            let entry = try EncryptedEntry(
                found, limit: Self.maxPictureBytes, in: source, before: directory.offset)
            let jpeg = try entry.read(from: source, password: password).revealBytes()
            do throws(ProfilePictureError) {
                return .carried(try ProfilePicture(jpeg: jpeg))
            } catch {
                return .unfit(error)
            }
        } catch {
            switch error {
            case .entryTooLong(_, let limit): return .unfit(.tooLong(bytes: limit + 1, limit: ProfilePicture.maxBytes))
            case .notReadable, .truncated, .library, .libraryMissing, .libraryNeedsMemory: throw error
            default: return .damaged
            }
        }
    }
}
