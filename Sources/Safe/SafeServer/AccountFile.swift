package import SafeStore

// The file of accounts, one in each line:
//
//     NAME:$scrypt$ln=14,r=8,p=1$SALT$HASH:QUOTA
//
//     NAME     1 to 32 lower-case letters, digits and hyphens, the first one not a hyphen
//     HASH     of the password (`PasswordHash`)
//     QUOTA    most bytes of stored backups, decimal; empty for no limit
//
// Lines that begin with # and empty lines are comments. Any other line is no account, so nobody can log in by it: a
// mistake in one line does not lock out the others. Comments, such lines and the order are kept if the file is changed.

/// An account of a server.
package struct Account: Equatable, Sendable {
    /// Its name.
    package let name: AccountName
    /// The hash of its password.
    package let hash: PasswordHash
    /// Most bytes of stored backups; nil for no limit.
    package let quota: Int?

    /// - Parameter quota: in bytes; nil for no limit.
    package init(name: AccountName, hash: PasswordHash, quota: Int?) {
        self.name = name
        self.hash = hash
        self.quota = quota
    }

    /// - Returns: nil if the line is not an account.
    fileprivate init?(line: [UInt8]) {
        guard line.count <= AccountFile.maxLineBytes, line.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            return nil
        }
        let fields = String(decoding: line, as: UTF8.self).split(separator: ":", omittingEmptySubsequences: false)
        guard fields.count == 3, let name = AccountName(String(fields[0])), let hash = PasswordHash(String(fields[1]))
        else { return nil }
        let quota = Int(fields[2])
        guard fields[2].isEmpty || quota.map({ String($0) == fields[2] && $0 >= 0 }) ?? false else { return nil }
        self.init(name: name, hash: hash, quota: quota)
    }

    fileprivate var line: [UInt8] { Array("\(name.text):\(hash.text):\(quota.map { "\($0)" } ?? "")".utf8) }
}

/// The content of the file of accounts. Every content can be read.
package struct AccountFile: Equatable, Sendable {
    /// Most accounts.
    package static let maxAccounts = 4096
    /// Longest line of an account, in bytes.
    static let maxLineBytes = 512

    private var lines: [[UInt8]]
    private var places: [AccountName: (line: Int, account: Account)] = [:]
    /// The costs of the accounts' hashes, in the order of the file.
    private(set) var costs: [ScryptCost] = []
    /// Numbers of the lines that are no accounts and no comments, from 1 on: malformed ones, second ones of a name, and
    /// those beyond `maxAccounts`.
    package private(set) var badLines: [Int] = []

    /// Parses a file.
    /// - Parameter content: an empty one has no accounts. The caller limits its length.
    package init(_ content: [UInt8]) {
        lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
        // The end of the last line is not the beginning of another one.
        if lines.last?.isEmpty ?? false { lines.removeLast() }
        for (index, line) in lines.enumerated() where !line.isEmpty && line[0] != UInt8(ascii: "#") {
            guard let account = Account(line: line), places[account.name] == nil, places.count < Self.maxAccounts
            else {
                badLines.append(index + 1)
                continue
            }
            places[account.name] = (index, account)
            costs.append(account.hash.cost)
        }
    }

    /// The content to write.
    package var content: [UInt8] { lines.flatMap { $0 + [UInt8(ascii: "\n")] } }

    /// The accounts, in the order of the file.
    package var accounts: [Account] { places.values.sorted { $0.line < $1.line }.map(\.account) }

    /// An account; nil if the file has none of this name.
    package subscript(name: AccountName) -> Account? { places[name]?.account }

    /// Whether `set` with a new name is possible.
    package var isFull: Bool { places.count >= Self.maxAccounts }

    /// Replaces the line of an account, or appends one.
    package mutating func set(_ account: Account) {
        if let place = places[account.name] {
            lines[place.line] = account.line
        } else {
            precondition(!isFull)
            lines.append(account.line)
        }
        self = AccountFile(content)
    }

    /// Removes an account, and later lines of the same name, which would take its place. A missing one is not an error.
    package mutating func remove(_ name: AccountName) {
        lines.removeAll { Account(line: $0)?.name == name }
        self = AccountFile(content)
    }

    /// Whether both are the same text.
    package static func == (left: AccountFile, right: AccountFile) -> Bool { left.lines == right.lines }
}
