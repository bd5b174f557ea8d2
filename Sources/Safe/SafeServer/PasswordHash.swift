internal import Encodings
package import Primitives
package import SecureMemory

// The hash of an account's password, as a string of the PHC format:
//
//     $scrypt$ln=14,r=8,p=1$SALT$HASH
//
// ln is the binary logarithm of scrypt's N (RFC 7914). SALT and HASH are Base64 of RFC 4648 without padding.

/// The cost of a hash.
package struct ScryptCost: Hashable, Sendable {
    /// log2(N).
    package let logarithm: Int
    /// r.
    package let blockSize: Int
    /// p.
    package let parallelism: Int

    /// That of new hashes: 16 MiB, and some 50 ms.
    package static let standard = ScryptCost(logarithm: 14, blockSize: 8, parallelism: 1)

    /// Most memory of one hash, in bytes. Two are computed at a time.
    static let maxBytes = 64 * 1024 * 1024
    /// Largest N · r · p: eight times that of a standard hash.
    static let maxWork = 1 << 20

    private init(logarithm: Int, blockSize: Int, parallelism: Int) {
        self.logarithm = logarithm
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    /// - Returns: nil if a number is out of range, or the cost is more than a login may cost the server.
    package init?(_ logarithm: Int, blockSize: Int, parallelism: Int) {
        guard (1...24).contains(logarithm), (1...64).contains(blockSize), (1...64).contains(parallelism),
            128 * blockSize << logarithm <= Self.maxBytes, blockSize * parallelism << logarithm <= Self.maxWork
        else { return nil }
        self.init(logarithm: logarithm, blockSize: blockSize, parallelism: parallelism)
    }

    /// Computes a key of `PasswordHash.keyCount` bytes.
    /// - Throws: `.memory` if the system refuses the memory.
    func key(_ password: borrowing SecureBytes, salt: [UInt8]) throws(KeyDerivationError) -> SecureBytes {
        try password.withBytes { (password) throws(KeyDerivationError) in
            try Scrypt.deriveKey(
                password: password, salt: salt.span, cost: 1 << UInt64(logarithm), blockSize: UInt32(blockSize),
                parallelism: UInt32(parallelism), count: PasswordHash.keyCount)
        }
    }
}

/// The hash of a password, which tells whether a password is the right one.
package struct PasswordHash: Equatable, Sendable {
    /// Longest password of an account, in bytes.
    package static let maxPasswordBytes = 4096
    /// Length of the key, in bytes.
    static let keyCount = 32
    /// Length of a new salt, in bytes.
    package static let saltCount = 16
    private static let saltCounts = 8...64

    /// The cost.
    package let cost: ScryptCost
    let salt: [UInt8]
    let key: [UInt8]

    /// Hashes a new password.
    /// - Parameters:
    ///   - password: compared byte by byte later: nothing is normalised.
    ///   - salt: `saltCount` random bytes.
    /// - Throws: `.memory` if the system refuses the memory.
    package init(
        of password: borrowing SecureBytes, salt: [UInt8], cost: ScryptCost = .standard
    ) throws(KeyDerivationError) {
        precondition(Self.saltCounts.contains(salt.count))
        self.cost = cost
        self.salt = salt
        // A hash is stored in a file, from which only guesses lead back.
        key = try cost.key(password, salt: salt).revealBytes()
    }

    /// A hash of no password, which costs as much to compare.
    /// - Parameter key: 32 bytes that nobody knows.
    init(decoy key: [UInt8], cost: ScryptCost) {
        precondition(key.count == Self.keyCount)
        self.cost = cost
        salt = Array(key.prefix(Self.saltCount))
        self.key = key
    }

    /// - Parameter text: in the form above.
    /// - Returns: nil for any other text, and for a cost that is too high.
    package init?(_ text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt" else { return nil }
        let names = ["ln=", "r=", "p="]
        let fields = parts[2].split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count == names.count else { return nil }
        var numbers: [Int] = []
        for (field, name) in zip(fields, names) {
            guard field.hasPrefix(name), let number = Int(field.dropFirst(name.count)),
                String(number) == field.dropFirst(name.count)
            else { return nil }
            numbers.append(number)
        }
        guard let cost = ScryptCost(numbers[0], blockSize: numbers[1], parallelism: numbers[2]),
            let salt = Self.decode(parts[3]), Self.saltCounts.contains(salt.count),
            let key = Self.decode(parts[4]), key.count == Self.keyCount
        else { return nil }
        self.cost = cost
        self.salt = salt
        self.key = key
    }

    /// In the form above.
    package var text: String {
        "$scrypt$ln=\(cost.logarithm),r=\(cost.blockSize),p=\(cost.parallelism)$" + Self.encode(salt) + "$"
            + Self.encode(key)
    }

    /// Whether it is the hash of a password; compared in constant time.
    /// - Throws: `.memory` if the system refuses the memory.
    package func matches(_ password: borrowing SecureBytes) throws(KeyDerivationError) -> Bool {
        let computed = try cost.key(password, salt: salt)
        return computed.withBytes { ConstantTime.areEqual($0, key.span) }
    }

    private static func encode(_ bytes: [UInt8]) -> String {
        String(Base64.encode(bytes.span).prefix { $0 != "=" })
    }

    private static func decode(_ text: Substring) -> [UInt8]? {
        var bytes = Array(text.utf8)
        guard bytes.count <= 128, bytes.count % 4 != 1 else { return nil }
        bytes += [UInt8](repeating: UInt8(ascii: "="), count: (4 - bytes.count % 4) % 4)
        guard text.utf8.last != UInt8(ascii: "=") else { return nil }
        return Base64.decode(bytes.span)?.revealBytes()
    }
}
