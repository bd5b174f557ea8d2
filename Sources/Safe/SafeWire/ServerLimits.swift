internal import Encodings

/// What a Safe server allows: its document `config`.
public struct ServerLimits: Equatable, Sendable {
    /// Largest backup that the server takes, in bytes of the encrypted form.
    public let maxBackupBytes: Int
    /// Days after which the server deletes a backup that was not uploaded again; always 1...3650.
    public let retentionDays: Int

    /// Longest `config` that is read, in bytes.
    public static let maxConfigBytes = 64 * 1024
    /// What counts where a server names a retention that makes no sense.
    public static let defaultRetentionDays = 180

    static let acceptedMaxBackupBytes = 1...Int64(1) << 31
    static let acceptedRetentionDays = Int64(1)...3650

    /// What a server made by keytool allows (the whitepaper's example).
    public static let standard = ServerLimits(maxBackupBytes: 524_288, retentionDays: defaultRetentionDays)

    /// Limits that are known to make sense.
    public init(maxBackupBytes: Int, retentionDays: Int) {
        self.maxBackupBytes = maxBackupBytes
        self.retentionDays = retentionDays
    }

    /// Reads the document (whitepaper, "Server Configuration"): both members must be JSON integers.
    ///
    /// A retention outside 1...3650 days is *not* an error: it counts as 180, so that no server can
    /// turn uploads off.
    /// - Throws: `.notJSON`, `.missing(member)`, `.maxBackupBytes` outside 1...2^31.
    public init(config: Span<UInt8>) throws(ServerLimitsError) {
        guard let document = try? JSONScanner.parse(config, limits: .init(depth: 16, values: 1000)) else {
            throw .notJSON
        }
        guard let maximum = document["maxBackupBytes"], maximum.isInteger else { throw .missing("maxBackupBytes") }
        guard let retention = document["retentionDays"], retention.isInteger else { throw .missing("retentionDays") }
        guard let bytes = maximum.integer, Self.acceptedMaxBackupBytes.contains(bytes) else { throw .maxBackupBytes }
        maxBackupBytes = Int(bytes)
        // An integer too large for 64 bits is as senseless as 0.
        retentionDays = Self.clampedRetentionDays(retention.integer ?? 0)
    }

    /// `days` where it is 1...3650, else 180.
    package static func clampedRetentionDays(_ days: Int64) -> Int {
        acceptedRetentionDays.contains(days) ? Int(days) : defaultRetentionDays
    }

    /// The document as a server serves it.
    package var config: [UInt8] {
        (["maxBackupBytes": .number(maxBackupBytes), "retentionDays": .number(retentionDays)] as JSONValue).encoded
    }
}

/// Why a document is not the `config` of a Safe server.
public enum ServerLimitsError: Error, Equatable, Sendable {
    case notJSON
    /// The member is not there or is not an integer.
    case missing(String)
    /// It is not within 1...2^31.
    case maxBackupBytes
}
