package import HTTP
internal import Primitives
package import SafeStore
internal import SafeWire

/// Where the backups are on an S3 server: `s3://HOST[:PORT]/PREFIX`. The server is reached by HTTPS.
///
/// The 256 buckets `PREFIX-00` to `PREFIX-ff` share the backups, because a bucket's list of its objects is one database
/// on some servers. Without accounts, the first byte of a backup's id chooses its bucket. All backups of an account are
/// in one bucket, so that one list has them: that of the first byte of the SHA-256 of its name.
package struct S3Address: Equatable, Sendable {
    /// Longest prefix. A bucket's name has 3 to 63 characters.
    package static let maxPrefixCount = 60

    /// Host and port of the server.
    package let origin: HTTPOrigin
    /// The beginning of the buckets' names: 1 to 60 lower-case letters, digits and hyphens, the first no hyphen.
    package let prefix: String

    private static let scheme = "s3://"

    /// - Throws: `S3AddressError`.
    package init(parsing text: String) throws(S3AddressError) {
        guard text.hasPrefix(Self.scheme) else { throw .notS3 }
        let parts = text.dropFirst(Self.scheme.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .notTwoParts }
        guard let origin = HTTPOrigin(authority: parts[0]) else { throw .badHost }
        guard Self.isPrefix(parts[1].utf8) else { throw .badPrefix }
        self.origin = origin
        prefix = String(parts[1])
    }

    private static func isPrefix(_ text: Substring.UTF8View) -> Bool {
        let hyphen = UInt8(ascii: "-")
        let isPlain = text.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || $0 == hyphen
        }
        return isPlain && (1...maxPrefixCount).contains(text.count) && text.first != hyphen
    }

    /// `HOST[:PORT]`, as in the header `Host`.
    var authority: String { origin.host + (origin.port.map { ":\($0)" } ?? "") }

    /// The bucket of a backup without an account.
    func bucket(of id: BackupID) -> String { prefix + "-" + id.hex.prefix(2) }

    /// The bucket of an account's backups.
    package func bucket(of account: AccountName) -> String {
        let name = Array(account.text.utf8)
        return bucket(SHA256.hash(name.span)[0])
    }

    /// All 256 buckets.
    package var buckets: [String] { (0...UInt8.max).map(bucket) }

    private func bucket(_ number: UInt8) -> String { prefix + (number < 0x10 ? "-0" : "-") + String(number, radix: 16) }
}

/// Why a text is not `s3://HOST[:PORT]/PREFIX`.
package enum S3AddressError: Error, Equatable, Sendable {
    /// It does not begin with `s3://`.
    case notS3
    /// It is not a host, a slash and a prefix.
    case notTwoParts
    case badHost
    /// The prefix is not 1 to 60 lower-case letters, digits and hyphens, or begins with a hyphen.
    case badPrefix
}
