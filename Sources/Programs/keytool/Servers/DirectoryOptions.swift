import ArgumentParser
import CommandLine
import Console
import HTTP
import HTTPTransport
import ThreemaDirectory
import ThreemaKeeping

/// The options for a directory: address, certificate authorities, pins and time limits.
struct DirectoryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The address of the directory: https://… (KEYTOOL_DIRECTORY).", valueName: "url"))
    var directory: String?

    @Option(
        help: ArgumentHelp(
            "Trust the certificate authorities in this file (PEM) instead of the system's (KEYTOOL_DIRECTORY_CA_FILE).",
            valueName: "file"),
        completion: .file())
    var directoryCaFile: String?

    @Option(
        help: ArgumentHelp(
            "Accept only a directory with this public key, sha256//BASE64, in addition to all other checks; may be repeated (KEYTOOL_DIRECTORY_PIN).",
            valueName: "pin"))
    var directoryPin: [PublicKeyPin] = []

    @OptionGroup var waiting: TimeLimitOptions

    /// Nobody has named a directory.
    static let noDirectory = UsageFailure(
        "no directory was given",
        hint: "--directory https://…, which is remembered for each identity; there is no default")

    /// The same, if the keystore has the directory of a company.
    static let noCompany = UsageFailure(
        "no directory was given",
        hint: "--directory https://…, which is remembered; keytool onprem show has the address of the company's")

    /// Authorities or pins without an address.
    static let trustAlone = UsageFailure("--directory-ca-file and --directory-pin require --directory")

    /// Whether an option says whom to trust.
    var hasTrust: Bool { directoryCaFile != nil || !directoryPin.isEmpty }

    /// Whether an option or the environment names a directory.
    var isNamed: Bool { get throws { try directory != nil || Environment.setting("KEYTOOL_DIRECTORY") != nil } }

    /// The directory to ask.
    /// - Parameters:
    ///   - remembered: that of the identity; nil if it has none. The environment is ignored if it has one. What no option
    ///     says is taken from it if the address is the same.
    ///   - companies: of the keystore's provisioning files; nil if it is not open. A file that has the named address is
    ///     used, with its login and pins.
    /// - Returns: if it is that of a provisioning file, as the present file has it.
    /// - Throws: `UsageFailure` if no directory is named; `DirectoryServerError`; `InputError`; `SharedLibrary.Failure`,
    ///   before anything is asked for.
    func server(remembered: DirectoryServer?, _ companies: OnPremServers?) throws -> DirectoryServer {
        let named = try directory ?? (remembered == nil ? Environment.setting("KEYTOOL_DIRECTORY") : nil)
        guard let url = named ?? remembered?.url else {
            guard !hasTrust else { throw Self.trustAlone }
            throw try companies?.keeper.names().isEmpty ?? true ? Self.noDirectory : Self.noCompany
        }
        let plain = try DirectoryServer(url: url)
        try CurlClient.requireLibrary()
        let same = plain.url == remembered?.url ? remembered : nil
        let company = named == nil || same?.onPrem != nil ? nil : try companies?.keeper.directory(at: plain.url)
        let name = company?.onPrem ?? same?.onPrem
        if let name, !directoryPin.isEmpty { throw Self.pinsOfFile(name) }
        let server = try DirectoryServer(
            url: url, authority: authority(ofSame: same, isRemembered: same != nil),
            pins: company?.pins ?? pins(ofSame: same, isRemembered: same != nil), onPrem: name)
        return companies?.present(server) ?? server
    }

    /// The directory of a company, with the authorities of `--directory-ca-file`.
    func server(of file: OnPremFile) throws -> DirectoryServer {
        let server = try file.directory()
        try CurlClient.requireLibrary()
        return try DirectoryServer(
            url: server.url, authority: authority(ofSame: nil, isRemembered: false), pins: server.pins,
            onPrem: server.onPrem)
    }

    /// A pin was given for a server whose pins are known from elsewhere.
    static func pinsOfFile(_ name: String) -> UsageFailure {
        UsageFailure(
            "the pins of this server come from the provisioning file \(name)", hint: "keytool onprem show \(name)")
    }

    private func authority(ofSame same: DirectoryServer?, isRemembered: Bool) throws -> [UInt8]? {
        let variable = isRemembered ? nil : try Environment.setting("KEYTOOL_DIRECTORY_CA_FILE")
        guard let path = directoryCaFile ?? variable else { return same?.authority }
        let text = try InputFile(path: path).read(limit: DirectoryServer.maxAuthorityBytes)
        guard text.contains("-----BEGIN CERTIFICATE-----") else { throw InputError.noCertificate(path: path) }
        return Array(text.utf8)
    }

    private func pins(ofSame same: DirectoryServer?, isRemembered: Bool) throws -> [PublicKeyPin] {
        if !directoryPin.isEmpty { return directoryPin }
        guard !isRemembered, let text = try Environment.setting("KEYTOOL_DIRECTORY_PIN") else {
            return same?.pins ?? []
        }
        return try text.split(separator: " ").map { word in
            guard let pin = PublicKeyPin(text: String(word)) else {
                throw UsageFailure(
                    "KEYTOOL_DIRECTORY_PIN is not a list of pins", hint: "sha256// and 44 characters of base64 each")
            }
            return pin
        }
    }
}

extension DirectoryServerError: Explained {
    var failure: Failure {
        switch self {
        case .badURL: Failure(.usage, "that is not the address of a directory: https://HOST/PATH")
        case .hasCredentials:
            Failure(
                .usage,
                "the directory's address contains an @, perhaps a password, which other users of this machine could see",
                hints: "write an @ in a path as %40")
        case .tooMuch:
            Failure(
                .usage,
                "the directory's address has over \(DirectoryServer.maxURLBytes - 1) bytes, there are over "
                    + "\(DirectoryServer.maxPins) pins, or the authorities have over "
                    + "\(DirectoryServer.maxAuthorityBytes / 1024) KiB")
        case .notEncoded: .defect("a remembered directory is not readable")
        }
    }
}
