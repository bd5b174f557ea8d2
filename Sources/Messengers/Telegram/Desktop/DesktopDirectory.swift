internal import Primitives
public import SecureMemory

// Files in `tdata` that hold keys. Names end in `s`; older apps wrote `0` and `1` in turn, and the newer one
// counts.
//
//     key_data                  the local key and the list of accounts
//     D877F783D5D3EF8C          the first account's keys: MD5("data")[0:8], the two digits of each byte swapped
//     A7FDF864FBC10B77          the second account's: of "data#2"; and so on
//     D877F783D5D3EF8C/map      the local key of older apps, which have one account
//     wallet_keyring_data       keys of a wallet, which are not of Telegram; not read

/// The accounts in the Desktop app's directory `tdata`. It is only read.
public struct DesktopDirectory: Equatable, Sendable {
    /// A file, as the caller has found it.
    public struct File: Sendable {
        /// The whole content of the file.
        public let bytes: [UInt8]
        /// When it was changed. Only the order counts.
        public let changed: Int64

        /// - Parameter changed: in any unit, the same for all files.
        public init(bytes: [UInt8], changed: Int64) { (self.bytes, self.changed) = (bytes, changed) }
    }

    /// An account's place in the app, and what its file contains.
    public struct Account: Equatable, Sendable {
        /// From 0.
        public let index: Int
        /// Its keys, or why its file was not read: `.missing`, `.unreadable` or `.file`.
        public let result: Result<DesktopAccount, DesktopDirectoryError>
    }

    /// The ends of names: of the current file, and of the pair of older apps.
    private static let endings = ["s", "0", "1"]

    /// Most keys of all accounts together. An account that would have more of them is `.malformed`. Each key is four
    /// memory mappings, of which Linux gives a process 65,530.
    public static let maxKeys = 2000

    /// The accounts, in the order of the app.
    public let accounts: [Account]
    /// The index of the account that the app shows.
    public let active: Int
    /// The version of the app that has written the local key.
    public let version: UInt32
    /// Whether the file with the local key has something that Telegram's own app does not write. It is not read.
    public let hasUnknownData: Bool
    /// Whether the app also has keys of a wallet. They are not read.
    public let hasWallet: Bool

    static let keyFile = "key_data"
    static let walletFile = "wallet_keyring_data"
    static let legacyKeyFile = accountFile(0) + "/map"

    /// Opens all accounts of a directory. A file of one account that is missing, damaged, unreadable or of another
    /// directory is a failure of that account alone.
    /// - Parameters:
    ///   - passcode: UTF-8; empty if the app has no passcode.
    ///   - read: the file of this name in the directory; nil if it is missing. A name may have one slash. Of a file
    ///     that is longer than `DesktopFile.maxCount`, one byte more is enough. It throws for a file that cannot be
    ///     read; then an older file of the same name is taken.
    /// - Throws: `DesktopDirectoryError` for the file with the local key; what `read` throws for that file, if no older
    ///   one is taken.
    public init(passcode: borrowing SecureBytes, read: (String) throws -> File?) throws {
        let (name, file, isLegacy) = try Self.findKeyFile(read)
        version = file.version
        let keyFile = try Self.naming(name) { () throws(DesktopError) in try DesktopKeyFile(file) }
        let key = try Self.naming(name) { () throws(DesktopError) in try keyFile.open(passcode: passcode) }
        hasUnknownData = keyFile.hasUnknownData
        hasWallet = Self.endings.contains { (try? read(Self.walletFile + $0)) != nil }
        let indices: [Int]
        (indices, active) =
            isLegacy ? ([0], 0) : try Self.naming(name) { () throws(DesktopError) in try keyFile.accounts(key) }
        var accounts: [Account] = []
        var room = Self.maxKeys
        for index in indices {
            let found = Self.find(Self.accountFile(index), read).mapError(\.ofAccount)
            let result: Result<DesktopAccount, DesktopDirectoryError>
            do throws(DesktopDirectoryError) {
                let (name, file) = try found.get()
                let account = try Self.naming(name) { () throws(DesktopError) in
                    try DesktopAccount(file, key, maxKeys: room)
                }
                room -= account.keys.count + account.keysToDestroy.count
                result = .success(account)
            } catch {
                result = .failure(error)
            }
            accounts.append(Account(index: index, result: result))
        }
        self.accounts = accounts
    }

    private static func findKeyFile(
        _ read: (String) throws -> File?
    ) throws -> (name: String, file: DesktopFile, isLegacy: Bool) {
        var found = find(keyFile, read)
        var isLegacy = false
        if case .failure(.refused(.missing(let name))) = found {
            found = find(legacyKeyFile, read)
            isLegacy = true
            if case .failure(.refused(.missing)) = found { throw DesktopDirectoryError.missing(name) }
        }
        switch found {
        case .success(let (name, file)): return (name, file, isLegacy)
        case .failure(.unread(_, let error)): throw error
        case .failure(.refused(let error)): throw error
        }
    }

    /// Adds a file's name to its error.
    private static func naming<Result: ~Copyable>(
        _ name: String, _ body: () throws(DesktopError) -> Result
    ) throws(DesktopDirectoryError) -> Result {
        do {
            return try body()
        } catch {
            throw error == .wrongPasscode ? .wrongPasscode : .file(name, error)
        }
    }

    /// The name of an account's file, without the last character.
    /// - Parameter index: from 0.
    public static func accountFile(_ index: Int) -> String {
        let name = index == 0 ? "data" : "data#\(index + 1)"
        let digits = Array("0123456789ABCDEF")
        return Legacy.MD5.hash(Array(name.utf8).span).prefix(8).reduce(into: "") { text, byte in
            text.append(digits[Int(byte & 0x0f)])
            text.append(digits[Int(byte >> 4)])
        }
    }

    /// The file that counts of those with this name: the current one, else the newer one of a pair. If it is damaged or
    /// cannot be read, the next one is taken, as the app does.
    /// - Returns: if none is taken, why the first of them is not.
    private static func find(
        _ base: String, _ read: (String) throws -> File?
    ) -> Result<(name: String, file: DesktopFile), NotTaken> {
        let current = endings.prefix(1).compactMap { Candidate(base + $0, read) }
        let pair = endings.dropFirst().compactMap { Candidate(base + $0, read) }.sorted { $0.changed > $1.changed }
        var first: NotTaken?
        for candidate in current + pair {
            switch candidate.content {
            case .success(let file):
                do throws(DesktopError) {
                    return .success((candidate.name, try DesktopFile(file.bytes.span)))
                } catch {
                    first = first ?? .refused(.file(candidate.name, error))
                }
            case .failure(let error): first = first ?? .unread(candidate.name, error)
            }
        }
        return .failure(first ?? .refused(.missing(base + "s")))
    }
}

/// A file that may count, or what reading it has thrown.
private struct Candidate {
    let name: String
    let content: Result<DesktopDirectory.File, any Error>

    /// When it was changed. Nothing is known of one that was not read: others are tried before it.
    var changed: Int64 {
        switch content {
        case .success(let file): file.changed
        case .failure: .min
        }
    }

    /// - Returns: nil if there is no file of this name.
    init?(_ name: String, _ read: (String) throws -> DesktopDirectory.File?) {
        self.name = name
        switch Result(catching: { try read(name) }) {
        case .success(.none): return nil
        case .success(.some(let file)): content = .success(file)
        case .failure(let error): content = .failure(error)
        }
    }
}

/// Why no file of a name was taken.
private enum NotTaken: Error {
    /// Reading this file has thrown.
    case unread(String, any Error)
    case refused(DesktopDirectoryError)

    /// The failure of an account that has these files.
    var ofAccount: DesktopDirectoryError {
        switch self {
        case .unread(let name, _): .unreadable(name)
        case .refused(let error): error
        }
    }
}

/// Why a directory of the Desktop app, or one account in it, was not read.
public enum DesktopDirectoryError: Error, Equatable, Sendable {
    /// There is no file of this name, nor of its older names.
    case missing(String)
    /// This file is there, and was not read.
    case unreadable(String)
    /// The passcode does not open the directory.
    case wrongPasscode
    /// This file is damaged, or has another form.
    case file(String, DesktopError)
}
