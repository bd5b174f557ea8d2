internal import SecureMemory

// The data of the file `key_data`, three byte arrays, and since version 7.3 of the app a fourth one:
//
//     salt (32)
//     the local key (256), encrypted under the key of passcode and salt
//     a list of accounts, encrypted under the local key: number of accounts (4), at least 1 ‖ an index for each (4) ‖
//     the active one (4), which may be missing
//     the local key once more for each passcode, see DesktopPasscodeWraps
//
// With the fourth array, the second one is under the key of an empty passcode: it is empty or missing if the app asks
// for a passcode when it starts. The version in the shell does not tell which form it is.
//
// Older apps have `map` in the directory of their one account: the same, but the last array is a list of files.

/// The file with the local key.
struct DesktopKeyFile: Sendable {
    /// Most accounts that are read. The app has at most 6.
    static let maxAccounts = 64

    /// SHA-1 (16) and what is encrypted: a length (4), the local key, padding (12).
    static let sealedKeyCount = 16 + 4 + DesktopLocalKey.count + 12

    private let salt: [UInt8]
    private let sealedKey: [UInt8]
    private let sealedList: [UInt8]
    /// Nil in the form of older apps.
    private let wraps: DesktopPasscodeWraps?
    /// Whether something that Telegram's own app does not write is behind the fourth array. It is not read.
    let hasUnknownData: Bool

    /// Reads the file's form.
    /// - Throws: `.malformed`, `.newer`; `.noPasscodeWrap` or `.tooCostly`, if no passcode would open it.
    init(_ file: DesktopFile) throws(DesktopError) {
        let data = file.data
        let bytes = data.span
        var reader = DesktopReader()
        let salt = try reader.array(bytes)
        guard salt.count == DesktopLocalKey.saltCount else { throw .malformed }
        self.salt = Array(data[salt])
        sealedKey = Array(data[try reader.optionalArray(bytes)])
        sealedList = Array(data[try reader.array(bytes)])
        // Before any passcode is derived, which takes half a second.
        let isWhole = sealedKey.count == Self.sealedKeyCount
        guard !reader.isAtEnd(bytes) else {
            guard isWhole else { throw .malformed }
            (wraps, hasUnknownData) = (nil, false)
            return
        }
        guard let trailer = try? reader.array(bytes) else { throw .newer(version: nil) }
        let wraps = try DesktopPasscodeWraps(bytes.extracting(trailer))
        if !isWhole {
            guard sealedKey.isEmpty else { throw .malformed }
            guard let current = wraps.current else { throw .noPasscodeWrap }
            try current.checkCost()
        }
        (self.wraps, hasUnknownData) = (wraps, !reader.isAtEnd(bytes))
    }

    /// Opens the local key with a passcode. Of older apps, both ways to derive a key from it are tried.
    /// - Parameter passcode: UTF-8; empty if the app has no passcode.
    /// - Throws: `.wrongPasscode`; `.malformed`, `.tooCostly`, `.memory`.
    func open(passcode: borrowing SecureBytes) throws(DesktopError) -> DesktopLocalKey {
        guard let wraps else {
            for derivation in DesktopLocalKey.Derivation.allCases {
                let key = DesktopLocalKey(passcode: passcode, salt: salt, derivation)
                if let local = try Self.unwrap(sealedKey, key) { return local }
            }
            throw .wrongPasscode
        }
        guard passcode.count == 0 else {
            guard let current = wraps.current else { throw .wrongPasscode }
            if let local = try Self.unwrap(current.sealedKey, current.deriveKey(passcode)) { return local }
            throw .wrongPasscode
        }
        guard !sealedKey.isEmpty else { throw .wrongPasscode }
        let key = DesktopLocalKey(passcode: passcode, salt: salt, .current)
        if let local = try Self.unwrap(sealedKey, key) { return local }
        throw wraps.current == nil ? .malformed : .wrongPasscode
    }

    /// - Returns: nil if it was encrypted under another key.
    private static func unwrap(
        _ sealedKey: [UInt8], _ key: borrowing DesktopLocalKey
    ) throws(DesktopError) -> DesktopLocalKey? {
        let local: SecureBytes
        do {
            local = try key.open(sealedKey.span)
        } catch {
            guard error == .otherLocalKey else { throw error }
            return nil
        }
        guard local.count == DesktopLocalKey.count else { throw .malformed }
        return DesktopLocalKey(local)
    }

    /// The accounts of the directory, at least one, and the active one. If the file names none of them, it is the first
    /// one, as in the app.
    /// - Throws: `.otherLocalKey`, `.malformed`.
    func accounts(_ key: borrowing DesktopLocalKey) throws(DesktopError) -> (indices: [Int], active: Int) {
        let list = try key.open(sealedList.span)
        return try list.withBytes { (list) throws(DesktopError) in
            var reader = DesktopReader()
            var indices: [Int] = []
            for _ in 0..<(try reader.count(of: 4, limit: Self.maxAccounts, list)) {
                let index = Int(try reader.number32(list))
                guard index < Self.maxAccounts, !indices.contains(index) else { throw .malformed }
                indices.append(index)
            }
            guard let first = indices.first else { throw .malformed }
            guard !reader.isAtEnd(list) else { return (indices, first) }
            let active = Int(try reader.number32(list))
            try reader.finish(list)
            return (indices, indices.contains(active) ? active : first)
        }
    }
}
