#if Server
import ArgumentParser
import Console
import HTTPTransport
import SafeObjectStore
import SafeStore
import SafeWire
import SecureMemory

/// The options about an S3 server as the store.
struct ObjectStoreOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The access key of the S3 server; it is not secret.", valueName: "name"))
    var s3AccessKey: String?

    @OptionGroup var secretKey: SecretOptions<S3SecretKey>

    @Option(
        help: ArgumentHelp("Trust the certificates in this file (PEM), not those of the system.", valueName: "file"),
        completion: .file())
    var s3CaFile: String?

    @Option(
        help: ArgumentHelp(
            "The region of the S3 server (default: \(S3Connection.defaultRegion)).", valueName: "name"))
    var s3Region: String?

    private static let maxAuthorityBytes = 1024 * 1024

    /// Opens nothing: the first request does.
    func connection(to address: S3Address, _ dialog: Dialog) throws -> S3Connection {
        guard let accessKey = try Setting.value(s3AccessKey, "s3-access-key") else {
            throw UsageFailure("an S3 server needs --s3-access-key")
        }
        guard !accessKey.isEmpty, accessKey.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw UsageFailure("the access key is not printable ASCII")
        }
        let secret = try SecretAsker(secretKey, dialog).open(.for(accessKey), isWrong: { _ in false }) { key in
            key.withBytes { SecureBytes(copying: $0) }
        }
        let authority = try Setting.value(s3CaFile, "s3-ca-file").map {
            try InputFile(path: $0).readBytes(.bytes, limit: Self.maxAuthorityBytes)
        }
        return S3Connection(
            to: address, S3Credentials(accessKey: accessKey, secretKey: secret), authority: authority,
            region: try Setting.value(s3Region, "s3-region") ?? S3Connection.defaultRegion, by: CurlClient(),
            clock: { WallClock.now() })
    }
}

/// The secret key of an S3 server.
enum S3SecretKey: Secret {
    static let stem = "s3-secret-key"
    static let title = "secret key of the S3 server"
}

/// The options about the answer to `GET config`, for a store that has no file `config`.
struct ConfigOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Longest backup (default: \(ServerLimits.standard.maxBackupBytes)). For a directory, see its file config.",
            valueName: "size"))
    var maxBackupBytes: ByteSize?

    @Option(
        help: ArgumentHelp(
            "Days after which apps consider a backup expired (default: \(ServerLimits.standard.retentionDays)). "
                + "For a directory, see its file config.", valueName: "number"))
    var retentionDays: PositiveNumber?

    /// The limits of a store that has no file `config`.
    func limits() throws -> ServerLimits {
        let bytes = try Setting.value(maxBackupBytes, "max-backup-bytes")?.bytes ?? ServerLimits.standard.maxBackupBytes
        let days = try Setting.value(retentionDays, "retention-days")?.number ?? ServerLimits.standard.retentionDays
        guard Self.maxBytes.contains(bytes) else {
            throw UsageFailure("--max-backup-bytes is not in 1 to \(Self.maxBytes.upperBound)")
        }
        guard Self.days.contains(days) else {
            throw UsageFailure("--retention-days is not in 1 to \(Self.days.upperBound)")
        }
        return ServerLimits(maxBackupBytes: bytes, retentionDays: days)
    }

    /// Refuses these options for a store whose file `config` counts.
    func refuse() throws {
        guard try Setting.value(maxBackupBytes, "max-backup-bytes") == nil,
            try Setting.value(retentionDays, "retention-days") == nil
        else {
            throw UsageFailure("the limits of a directory are in its file config", hint: "edit that file")
        }
    }

    /// A server holds a body in memory until it is whole.
    private static let maxBytes = 1...(64 << 20)
    private static let days = 1...3650
}
#endif
