#if Server
import ArgumentParser
import AtomicFiles
import Console
import SafeServerHTTP

/// The options about TLS.
struct CertificateOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Make a key and a certificate for these host names and addresses, with commas between them.",
            valueName: "names"))
    var tlsSelfSigned: String?

    @Option(
        help: ArgumentHelp(
            "The server's certificate and those between it and the authority (PEM). SIGHUP reads it again.",
            valueName: "file"),
        completion: .file())
    var tlsCertificate: String?

    @Option(
        help: ArgumentHelp("The key of --tls-certificate (PEM, without a passphrase).", valueName: "file"),
        completion: .file())
    var tlsKey: String?

    /// Where the certificate is.
    /// - Returns: nil for plain HTTP.
    func source(store: StoreLocation) throws -> CertificateSource? {
        let names = try Setting.value(tlsSelfSigned, "tls-self-signed")
        let certificate = try Setting.value(tlsCertificate, "tls-certificate")
        let key = try Setting.value(tlsKey, "tls-key")
        switch (names, certificate, key) {
        case (nil, nil, nil): return nil
        case (let names?, nil, nil):
            guard case .directory(let path) = store else {
                throw UsageFailure(
                    "--tls-self-signed needs a store that is a directory, for its key",
                    hint: "use --tls-certificate and --tls-key")
            }
            return .selfSigned(
                names: names.split(separator: ",", omittingEmptySubsequences: false).map(String.init), directory: path)
        case (nil, let certificate?, let key?): return .files(certificate: certificate, key: key)
        case (_?, _, _):
            throw UsageFailure("--tls-self-signed and --tls-certificate cannot be combined")
        default: throw UsageFailure("--tls-certificate and --tls-key belong together")
        }
    }
}

/// Where the certificate of the server is.
enum CertificateSource {
    case files(certificate: String, key: String)
    /// At least one name; what to type on a client has the first one.
    case selfSigned(names: [String], directory: String)

    private static let maxBytes = 1024 * 1024
    private static let directoryName = "tls"
    private static let certificateName = "certificate.pem"
    private static let authorityName = "authority.pem"
    private static let keyName = "key.pem"

    /// The file that a client needs to trust the certificate; nil for one of an authority.
    var authorityPath: String? {
        guard case .selfSigned(_, let directory) = self else { return nil }
        return "\(directory)/\(Self.directoryName)/\(Self.authorityName)"
    }

    /// Reads the files. A self-signed certificate goes with its authority, so that a client can trust that by its
    /// fingerprint. Its files are written if they are missing or nearly expired.
    /// - Parameter known: the pin that clients know; nil at the start of a server. Then missing files are made.
    /// - Throws: among others `SelfSignedError.missingKey` if only the key of a self-signed certificate is missing, or the
    ///   key of a running server; `OtherPin`.
    func read(known pin: String? = nil) throws -> (chain: [UInt8], key: [UInt8]) {
        switch self {
        case .files(let certificate, let key):
            return (
                // A pipe would be waited for, also by the thread that takes the signal to stop.
                try InputFile(plainFile: certificate).readBytes(.bytes, limit: Self.maxBytes),
                try InputFile(plainFile: key).readBytes(.bytes, limit: Self.maxBytes)
            )
        case .selfSigned(let names, let path):
            let files = try Self.selfSigned(names, path, isStart: pin == nil)
            guard try pin == nil || ServerCertificate(chain: files.chain, key: files.key).pin == pin else {
                throw OtherPin()
            }
            return files
        }
    }

    private static func selfSigned(
        _ names: [String], _ path: String, isStart: Bool
    ) throws -> (chain: [UInt8], key: [UInt8]) {
        let store = try Directory.open(path, rule: .shared)
        guard try isStart || store.contains(directoryName) else { throw SelfSignedError.missingKey }
        try store.makeDirectory(directoryName)
        let files = try Directory.open("\(path)/\(directoryName)", rule: .secret)
        func content(_ name: String) throws -> [UInt8]? {
            try files.contains(name) ? files.readPublic(name, limit: maxBytes) : nil
        }
        let now = WallClock.now()
        let key = try content(keyName)
        let authority = try content(authorityName)
        let present = try content(certificateName)
        // Clients know the pin and the authority. Another key would lock out all of them.
        guard key != nil || isStart && authority == nil && present == nil else { throw SelfSignedError.missingKey }
        if let key, let authority, let certificate = present,
            try SelfSigned.isGood(certificate, key: key, authority: authority, names: names, now: now)
        {
            return (certificate + authority, key)
        }
        let made = try SelfSigned(names: names, authority: authority, key: key, now: now)
        if key == nil { try files.write(keyName, made.key.span) }
        if authority != made.authority { try files.write(authorityName, made.authority.span) }
        try files.write(certificateName, made.certificate.span)
        return (made.certificate + made.authority, made.key)
    }
}
#endif
