internal import Encodings
internal import Primitives

/// What an identity publishes, so that others can begin sessions with it. A JSON object; who reads one has to call
/// `check` before anything of it is used.
///
/// | field | length | |
/// |---|---|---|
/// | signingKeyPublic, dhIdentityKeyPublic | 32 | the identity |
/// | signedPreKeyPublic, signedPreKeyId, signedPreKeySignature | 32, number, 64 | `SignatureForm` |
/// | oneTimePreKeyPublic, oneTimePreKeyId | 32, number | both or none |
/// | lastResortSignature | 64 | ours: there exactly if oneTimePreKeyId is 0 |
/// | bundleSignature | 64 | ours: over all fields that are present |
/// | username | 1 to 64 characters | |
/// | timestamp | seconds since 2001 | |
/// | tcpAddress | up to 256 bytes | optional |
public struct PrekeyBundle: Equatable, Sendable {
    /// Longest text of a bundle in bytes. It is checked before the text is read.
    public static let maxCount = 8192
    /// The number of the last-resort key, which no one-time prekey has.
    public static let lastResortID: UInt32 = 0
    /// Most characters of a user name.
    public static let maxUsername = 64
    /// Most bytes of a user name: a character of text may have several.
    private static let maxUsernameBytes = 4 * maxUsername

    /// The public keys of the owner, which its signatures are checked with.
    public let identity: PublicIdentity
    /// The signed prekey, 32 bytes.
    public let signedPrekey: [UInt8]
    /// The number by which a first message names the signed prekey.
    public let signedPrekeyID: UInt32
    /// 64 bytes.
    public internal(set) var prekeySignature: [UInt8]
    /// A one-time prekey, or with number 0 the last-resort key.
    public let oneTime: OneTime?
    /// A name that the owner has chosen; nobody checks it.
    public let username: String
    /// When the bundle was made.
    public let timestamp: AppTime
    /// Where the owner listens, as the owner has written it; nil if the bundle does not say. Nobody checks it.
    public let address: String?
    /// Over all fields, 64 bytes; nil from the app.
    public internal(set) var bundleSignature: [UInt8]?

    /// The key of the fourth agreement.
    public struct OneTime: Equatable, Sendable {
        /// 0 for the last-resort key.
        public let id: UInt32
        /// 32 bytes.
        public let publicKey: [UInt8]
        /// 64 bytes, with id 0 only.
        public let lastResortSignature: [UInt8]?

        init(id: UInt32, publicKey: [UInt8], lastResortSignature: [UInt8]?) {
            self.id = id
            self.publicKey = publicKey
            self.lastResortSignature = lastResortSignature
        }
    }

    init(
        identity: PublicIdentity, signedPrekey: [UInt8], signedPrekeyID: UInt32, prekeySignature: [UInt8],
        oneTime: OneTime?, username: String, timestamp: AppTime, address: String?, bundleSignature: [UInt8]?
    ) {
        self.identity = identity
        self.signedPrekey = signedPrekey
        self.signedPrekeyID = signedPrekeyID
        self.prekeySignature = prekeySignature
        self.oneTime = oneTime
        self.username = username
        self.timestamp = timestamp
        self.address = address
        self.bundleSignature = bundleSignature
    }

    /// Reads a bundle. Nothing is verified.
    public init(parsing bytes: [UInt8]) throws(BundleError) {
        guard bytes.count <= Self.maxCount else { throw .malformed }
        do throws(FieldError) { self = try Self(Fields(bytes)) } catch { throw .malformed }
    }

    package init(_ fields: Fields) throws(FieldError) {
        if fields.has("pqEncapsulatedKey") { throw .field("pqEncapsulatedKey") }
        guard
            let identity = PublicIdentity(
                signing: try fields.bytes("signingKeyPublic", 32),
                agreement: try fields.bytes("dhIdentityKeyPublic", 32))
        else { throw .malformed }
        let username = try fields.text("username", 1...Self.maxUsernameBytes)
        guard username.count <= Self.maxUsername else { throw .field("username") }
        self.init(
            identity: identity, signedPrekey: try fields.bytes("signedPreKeyPublic", 32),
            signedPrekeyID: try fields.integer("signedPreKeyId", as: UInt32.self),
            prekeySignature: try fields.bytes("signedPreKeySignature", 64), oneTime: try Self.oneTime(fields),
            username: username, timestamp: try fields.time("timestamp"),
            address: try fields.optional("tcpAddress") { name throws(FieldError) in try fields.text(name) },
            bundleSignature: try fields.optional("bundleSignature") { name throws(FieldError) in
                try fields.bytes(name, 64)
            })
    }

    private static func oneTime(_ fields: Fields) throws(FieldError) -> OneTime? {
        guard fields.has("oneTimePreKeyId") == fields.has("oneTimePreKeyPublic") else {
            throw .field("oneTimePreKeyId")
        }
        let signature = try fields.optional("lastResortSignature") { name throws(FieldError) in
            try fields.bytes(name, 64)
        }
        guard fields.has("oneTimePreKeyId") else {
            guard signature == nil else { throw .field("lastResortSignature") }
            return nil
        }
        let id = try fields.integer("oneTimePreKeyId", as: UInt32.self)
        guard (id == Self.lastResortID) == (signature != nil) else { throw .field("lastResortSignature") }
        return OneTime(
            id: id, publicKey: try fields.bytes("oneTimePreKeyPublic", 32), lastResortSignature: signature)
    }

    var json: JSONValue {
        .object(present: [
            ("signingKeyPublic", .base64(identity.signing)), ("dhIdentityKeyPublic", .base64(identity.agreement)),
            ("signedPreKeyPublic", .base64(signedPrekey)), ("signedPreKeyId", .number(signedPrekeyID)),
            ("signedPreKeySignature", .base64(prekeySignature)),
            ("oneTimePreKeyPublic", oneTime.map { .base64($0.publicKey) }),
            ("oneTimePreKeyId", oneTime.map { .number($0.id) }),
            ("lastResortSignature", oneTime?.lastResortSignature.map { .base64($0) }),
            ("username", .string(username)), ("timestamp", .time(timestamp)),
            ("tcpAddress", address.map { .string($0) }), ("bundleSignature", bundleSignature.map { .base64($0) }),
        ])
    }

    /// The bundle as JSON: compact, with sorted names.
    public var encoded: [UInt8] { json.bytes }
}
