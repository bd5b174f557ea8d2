internal import Encodings

/// The limits of a Safe server, from its document `config`.
public struct ServerLimits: Equatable, Sendable {
    /// Largest encrypted backup that the server accepts, in bytes.
    public let maxBackupBytes: Int
    /// Days after which the server deletes a backup that is not uploaded again, 1...3650.
    public let retentionDays: Int

    /// Longest `config` that is read, in bytes.
    public static let maxConfigBytes = 64 * 1024
    /// The retention if that of the server is out of range.
    public static let defaultRetentionDays = 180

    static let acceptedMaxBackupBytes = 1...Int64(1) << 31
    static let acceptedRetentionDays = Int64(1)...3650

    /// The limits of a server that keytool prepares (the whitepaper's example).
    public static let standard = ServerLimits(maxBackupBytes: 524_288, retentionDays: defaultRetentionDays)

    /// Longest stored backup that a server with these limits reads, in bytes: one that was stored under a higher limit,
    /// too, as long as clients read it.
    public var maxReadBytes: Int { max(maxFetchedBytes, maxBackupBytes) }

    /// Creates limits, which must be in range.
    public init(maxBackupBytes: Int, retentionDays: Int) {
        self.maxBackupBytes = maxBackupBytes
        self.retentionDays = retentionDays
    }

    /// Parses `config` (whitepaper, "Server Configuration"). Both members must be JSON integers.
    ///
    /// A retention outside of 1...3650 days is *not* an error: it counts as 180, so that a server cannot disable
    /// uploads.
    /// - Throws: `.notJSON`, `.missing(member)`, `.maxBackupBytes` outside 1...2^31.
    public init(config: Span<UInt8>) throws(ServerLimitsError) { self = try Self.parse(config: config).limits }

    /// Parses `config` as `init(config:)` does.
    /// - Returns: also whether the retention is in 1...3650, and not 180 in its place.
    package static func parse(
        config: Span<UInt8>
    ) throws(ServerLimitsError) -> (limits: ServerLimits, isRetentionInRange: Bool) {
        guard let document = try? JSONScanner.parse(config, limits: .init(depth: 16, values: 1000)) else {
            throw .notJSON
        }
        guard let maximum = document["maxBackupBytes"], maximum.isInteger else { throw .missing("maxBackupBytes") }
        guard let retention = document["retentionDays"], retention.isInteger else { throw .missing("retentionDays") }
        guard let bytes = maximum.integer, acceptedMaxBackupBytes.contains(bytes) else { throw .maxBackupBytes }
        // An integer of more than 64 bits counts as 0, which is out of range.
        let days = retention.integer ?? 0
        let limits = ServerLimits(maxBackupBytes: Int(bytes), retentionDays: clampedRetentionDays(days))
        return (limits, limits.retentionDays == days)
    }

    /// `days` if it is in 1...3650, otherwise 180.
    package static func clampedRetentionDays(_ days: Int64) -> Int {
        acceptedRetentionDays.contains(days) ? Int(days) : defaultRetentionDays
    }

    /// The document `config` of these limits.
    package var config: [UInt8] {
        (["maxBackupBytes": .number(maxBackupBytes), "retentionDays": .number(retentionDays)] as JSONValue).encoded
    }
}

/// Why a document is not the `config` of a Safe server.
public enum ServerLimitsError: Error, Equatable, Sendable {
    case notJSON
    /// The member is missing, or is not an integer.
    case missing(String)
    /// The value is not in 1...2^31.
    case maxBackupBytes
}
