public import SecureMemory

// The data of the file `key_data`, three byte arrays:
//
//     salt (32)
//     the local key (256), encrypted under the key of passcode and salt
//     a list of accounts, encrypted under the local key: number of accounts (4), at least 1 ‖ an index for each (4) ‖
//     the active one (4)
//
// Older apps have `map` in the directory of their one account: the same, but the last array is a list of files.

/// The file with the local key.
public struct DesktopKeyFile: Sendable {
    /// Most accounts that are read. The app has at most 6.
    public static let maxAccounts = 64

    /// SHA-1 (16) and what is encrypted: a length (4), the local key, padding (12).
    static let sealedKeyCount = 16 + 4 + DesktopLocalKey.count + 12

    private let salt: [UInt8]
    private let sealedKey: [UInt8]
    private let sealedList: [UInt8]

    /// Reads the file's form.
    /// - Throws: `.malformed`.
    public init(_ file: DesktopFile) throws(DesktopError) {
        let data = file.data
        let bytes = data.span
        var reader = DesktopReader()
        let salt = try reader.array(bytes)
        guard salt.count == DesktopLocalKey.saltCount else { throw .malformed }
        self.salt = Array(data[salt])
        let sealedKey = try reader.array(bytes)
        // Before any passcode is derived, which takes half a second.
        guard sealedKey.count == Self.sealedKeyCount else { throw .malformed }
        self.sealedKey = Array(data[sealedKey])
        sealedList = Array(data[try reader.array(bytes)])
        try reader.finish(bytes)
    }

    /// Opens the local key with a passcode. Both ways to derive a key from it are tried.
    /// - Parameter passcode: UTF-8; empty if the app has no passcode.
    /// - Throws: `.wrongPasscode`; `.malformed`.
    public func open(passcode: borrowing SecureBytes) throws(DesktopError) -> DesktopLocalKey {
        for derivation in DesktopLocalKey.Derivation.allCases {
            let key = DesktopLocalKey(passcode: passcode, salt: salt, derivation)
            let local: SecureBytes
            do {
                local = try key.open(sealedKey.span)
            } catch {
                guard error == .otherLocalKey else { throw error }
                continue
            }
            guard local.count == DesktopLocalKey.count else { throw .malformed }
            return DesktopLocalKey(local)
        }
        throw .wrongPasscode
    }

    /// The accounts of the directory, at least one, and the active one. If the file names none of them, it is the first
    /// one, as in the app.
    /// - Throws: `.otherLocalKey`, `.malformed`.
    public func accounts(_ key: borrowing DesktopLocalKey) throws(DesktopError) -> (indices: [Int], active: Int) {
        let list = try key.open(sealedList.span)
        return try list.withBytes { (list) throws(DesktopError) in
            var reader = DesktopReader()
            var indices: [Int] = []
            for _ in 0..<(try reader.count(of: 4, limit: Self.maxAccounts, list)) {
                let index = Int(try reader.number32(list))
                guard index < Self.maxAccounts, !indices.contains(index) else { throw .malformed }
                indices.append(index)
            }
            let active = Int(try reader.number32(list))
            try reader.finish(list)
            guard let first = indices.first else { throw .malformed }
            return (indices, indices.contains(active) ? active : first)
        }
    }
}
