public import Encodings
internal import Primitives
internal import SecureMemory

// A provisioning file (OPPF, version 1.x):
//
//   JSON, UTF-8 ‖ LF ‖ Base64 of the signature (88 characters)
//
// The signature is that of Ed25519 over all bytes before the last line feed, as they are.

/// Where a company's servers are, as its administrator has it signed for the app: directory, chat, media and Safe.
///
/// The file is no secret, but names internal hosts.
public struct ProvisioningFile: Equatable, Sendable {
    /// Longest file, in bytes.
    public static let maxCount = 64 * 1024
    /// Shortest time after which the file is fetched again. A shorter one in the file counts as this.
    static let leastRefresh = Duration.seconds(1800)
    private static let signatureTextCount = Base64.encodedCount(Ed25519.signatureCount)
    private static let lineFeed = UInt8(ascii: "\n")

    /// How long the file counts before it is fetched again: 30 minutes or more.
    public let refresh: Duration
    /// Who may use the servers, and until when.
    public let license: License
    /// The chat server.
    public let chat: ChatAddress
    /// The other servers.
    public let servers: Servers
    /// Which public keys the servers may show.
    public let pinRules: PinRules
    /// The names of members that mean nothing here, in their order.
    public let unknownMembers: [String]
    /// SHA-256 of the whole file, 32 bytes: what tells two files apart.
    package let digest: [UInt8]

    /// Verifies the signature, then reads.
    /// - Parameters:
    ///   - bytes: the whole file, at most 64 KiB.
    ///   - key: whom the user trusts: an Ed25519 public key, 32 bytes.
    /// - Throws: ``ProvisioningError``. Nothing is read of a file whose signature is not valid.
    public init(_ bytes: Span<UInt8>, signedBy key: [UInt8]) throws(ProvisioningError) {
        guard bytes.count <= Self.maxCount else { throw .tooLong }
        let start = bytes.count - Self.signatureTextCount
        guard start > 0, bytes[start - 1] == Self.lineFeed,
            let signature = Base64.decodePublic(bytes.extracting(start..<bytes.count), isPadded: true)
        else { throw .noSignature }
        let text = bytes.extracting(0..<start - 1)
        guard Ed25519.isValid(signature, of: text, publicKey: key) else { throw .badSignature }
        let members: ProvisioningMembers
        do throws(JSONError) {
            members = ProvisioningMembers(try JSONScanner.parse(text, limits: .init(depth: 8, values: 4096)))
        } catch {
            throw .malformed(error)
        }
        // The apps differ: some take 1.0 only.
        guard try members.text("version").hasPrefix("1.") else { throw .unknownVersion }
        guard try members.bytes("signatureKey", count: Ed25519.keyCount) == key else { throw .otherKey }
        refresh = max(.seconds(try members.count("refresh")), Self.leastRefresh)
        license = try License(members.object("license"))
        chat = try ChatAddress(members.object("chat"))
        servers = try Servers(members)
        pinRules = try PinRules(members)
        unknownMembers = members.names.filter { !Self.members.contains($0) }
        digest = SHA256.hash(bytes)
    }

    private static let members: Set = [
        "version", "signatureKey", "refresh", "license", "chat", "directory", "blob", "work", "avatar", "safe", "web",
        "mediator", "rendezvous", "domains", "publicKeyPinning", "maps", "updates",
    ]

    /// The directory, with the pins for its host.
    /// - Throws: `.noKeyIsAccepted` if the rules permit no key there; `.address` if the URL cannot be a directory's.
    public func directory() throws(ProvisioningError) -> DirectoryServer { try directory(named: nil) }

    /// - Parameter name: under which a keystore has the file.
    package func directory(named name: String?) throws(ProvisioningError) -> DirectoryServer {
        let pins = try pins(of: servers.directory)
        do throws(DirectoryServerError) {
            return try DirectoryServer(url: servers.directory, authority: nil, pins: pins, onPrem: name)
        } catch {
            throw .address("directory.url")
        }
    }

    /// The license of a company.
    public struct License: Equatable, Sendable {
        /// What the company is called there.
        public let id: String
        /// How many may use it.
        public let count: Int64
        /// When it is over: the beginning of the day after the last one, in UTC.
        public let end: Timestamp

        init(_ members: ProvisioningMembers) throws(ProvisioningError) {
            id = try members.text("id")
            count = try members.count("count")
            let day = try members.text("expires")
            let digits = day.utf8.filter { $0 != UInt8(ascii: "-") }
            let compact = String(decoding: digits, as: UTF8.self) + "T000000000Z"
            guard let start = Timestamp(compact: compact), start.rfc3339.prefix(10) == day[...] else {
                throw members.wrong("expires")
            }
            end = start + .days(1)
        }
    }

    /// Where the chat server is.
    public struct ChatAddress: Equatable, Sendable {
        /// Its name.
        public let host: String
        /// Where it listens, the first choice first.
        public let ports: [UInt16]
        /// The key of its handshake, 32 bytes, in both of its roles.
        public let publicKey: [UInt8]

        init(_ members: ProvisioningMembers) throws(ProvisioningError) {
            host = try members.text("hostname")
            guard !host.isEmpty else { throw members.wrong("hostname") }
            publicKey = try members.bytes("publicKey", count: 32)
            let values = members["ports"]?.array ?? []
            ports = values.compactMap { $0.integer.flatMap { UInt16(exactly: $0) } }
            guard !ports.isEmpty, ports.count == values.count, !ports.contains(0) else { throw members.wrong("ports") }
        }
    }
}

/// Why something is no provisioning file that counts.
public enum ProvisioningError: Error, Equatable, Sendable {
    /// More than 64 KiB.
    case tooLong
    /// The last line is not a signature: it is missing, or a line feed is behind it. The apps refuse that, too.
    case noSignature
    /// The signature is not one of this key over this text.
    case badSignature
    /// The text names another key than the one that has signed it.
    case otherKey
    /// The version does not begin with "1.".
    case unknownVersion
    /// The text is no JSON.
    case malformed(JSONError)
    /// The member of this path is missing, or has another form.
    case member(String)
    /// The address at this path cannot be used.
    case address(String)
    /// The rules for public keys permit none at the host of this address.
    case noKeyIsAccepted(String)
}
