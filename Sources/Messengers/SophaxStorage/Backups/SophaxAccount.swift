internal import Encodings
internal import Primitives
public import SecureMemory
public import SophaxChat

// An identity as text, which an age file or a sealed record contains. JSON, names in byte order, no blanks:
//
//     {"dh":"<32 bytes in Base64>","messenger":"sophaxchat","prekeys":"<record in Base64>","signing":"<32 bytes>",
//      "username":"alice","verified":{"<peerID>":"12345 12345 12345 12345 12345 12345"},"version":1}
//
// `prekeys` is the record of `PrekeyStore`, and is missing without prekeys. `verified` has the safety numbers of the
// peers that the user has compared. Any order and blanks are read; an unknown member is refused.

/// An identity with all that lasts: keys, name, verified peers and prekeys. Sessions are no part of it: an old session
/// would use its keys twice.
public struct SophaxAccount: ~Copyable, Sendable {
    /// Longest text in bytes.
    public static let maxTextCount = 1 << 20
    /// Most entries of `verified`.
    public static let maxVerified = 5000
    /// Most characters of a user name.
    public static let maxUsername = PrekeyBundle.maxUsername
    private static let version: Int64 = 1
    private static let messenger = "sophaxchat"
    private static let cut = [["dh"], ["signing"], ["prekeys"]]
    private static let names = ["messenger", "username", "verified", "version"]

    /// The two private keys.
    public let identity: SophaxIdentity
    /// The name that the user has chosen, at most `maxUsername` characters.
    public let username: String
    /// The safety numbers that the user has compared, in the form `.version1`.
    public let verified: [PeerID: String]
    /// Nil for an identity that was restored without them.
    public let prekeys: PrekeyStore?

    /// - Throws: `.malformed` for a name that is empty or has more than 64 characters, and for too many peers.
    public init(
        identity: consuming SophaxIdentity, username: String, verified: [PeerID: String] = [:],
        prekeys: consuming PrekeyStore? = nil
    ) throws(BackupError) {
        guard Self.isUsername(username), verified.count <= Self.maxVerified,
            verified.values.allSatisfy(Self.isNumber)
        else { throw .malformed }
        self.identity = identity
        self.username = username
        self.verified = verified
        self.prekeys = prekeys
    }

    /// Whether a user may have this name: 1 to 64 characters, no blank at its ends, at most 256 bytes.
    public static func isUsername(_ name: String) -> Bool {
        (1...maxUsername).contains(name.count) && name.utf8.count <= 4 * maxUsername
            && name.first?.isWhitespace == false && name.last?.isWhitespace == false
    }

    /// Six groups of five digits.
    private static func isNumber(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 35
            && bytes.indices.allSatisfy { index in
                index % 6 == 5 ? bytes[index] == UInt8(ascii: " ") : (48...57).contains(bytes[index])
            }
    }

    /// The name of a user who has not said one: the first 8 digits of the peerID.
    package static func defaultUsername(_ id: PeerID) -> String { String(id.description.prefix(8)) }

    /// Whether the user has not said a name.
    package var hasDefaultUsername: Bool { username == Self.defaultUsername(peerID) }

    /// The name of the identity.
    public var peerID: PeerID { identity.peerID }

    /// Gives up everything but the keys.
    public consuming func intoIdentity() -> SophaxIdentity { identity }

    // MARK: The text

    /// The account as text, in guarded memory.
    /// - Parameter verified: the verified peers to write in place of its own; nil for those.
    public borrowing func encoded(verified other: [PeerID: String]? = nil) -> SecureBytes {
        switch prekeys {
        case .some(let prekeys):
            let record = prekeys.encoded()
            return encoded(other ?? verified, username, prekeys: record)
        case .none: return encodedWithoutPrekeys(verified: other)
        }
    }

    /// The account as text without its prekeys, in guarded memory.
    /// - Parameters:
    ///   - verified: the verified peers to write in place of its own; nil for those.
    ///   - username: a user name to write in place of its own, that of another account; nil for its own.
    public borrowing func encodedWithoutPrekeys(
        verified other: [PeerID: String]? = nil, username otherName: String? = nil
    ) -> SecureBytes {
        encoded(other ?? verified, otherName ?? username, prekeys: SecureBytes(count: 0) { _ in })
    }

    private borrowing func encoded(
        _ verified: [PeerID: String], _ username: String, prekeys: borrowing SecureBytes
    ) -> SecureBytes {
        let name = JSONValue.string(username).encoded
        let peers = JSONValue.object(verified.map { .init($0.key.description, .string($0.value)) }).sorted.encoded
        var buffer = SecureBuffer(
            capacity: 256 + name.count + peers.count + Base64.encodedCount(prekeys.count))
        buffer.append(#"{"dh":""#)
        identity.agreement.withBytes { Base64.encode($0, appendingTo: &buffer) }
        buffer.append(#"","messenger":"\#(Self.messenger)","#)
        if prekeys.count > 0 {
            buffer.append(#""prekeys":""#)
            prekeys.withBytes { Base64.encode($0, appendingTo: &buffer) }
            buffer.append(#"","#)
        }
        buffer.append(#""signing":""#)
        identity.signing.withBytes { Base64.encode($0, appendingTo: &buffer) }
        buffer.append(#"","username":"#)
        buffer.append(name.span)
        buffer.append(#","verified":"#)
        buffer.append(peers.span)
        buffer.append(#","version":\#(Self.version)}"#)
        return buffer.finish()
    }

    /// Reads an account from its text. The keys go from there to guarded memory and nowhere else.
    /// - Throws: `.unknownFormat` for the text of another messenger, `.unknownVersion` (255 for a number that is no
    ///   byte), `.malformed`.
    public init(decoding text: Span<UInt8>) throws(BackupError) {
        guard text.count <= Self.maxTextCount else { throw .malformed }
        let parsed: (value: JSONValue, cuts: [Range<Int>?])
        do {
            parsed = try JSONScanner.parse(
                text, cutting: Self.cut, limits: .init(depth: 4, values: 16 + 2 * Self.maxVerified))
        } catch {
            throw .malformed
        }
        guard let members = parsed.value.members, let messenger = parsed.value["messenger"]?.string else {
            throw .malformed
        }
        guard messenger == Self.messenger else { throw .unknownFormat }
        guard let version = parsed.value["version"]?.integer else { throw .malformed }
        guard version == Self.version else { throw .unknownVersion(UInt8(clamping: version)) }
        guard members.allSatisfy({ Self.names.contains($0.name) }),
            let username = parsed.value["username"]?.string, let peers = parsed.value["verified"]?.members,
            let agreement = parsed.cuts[0], let signing = parsed.cuts[1]
        else { throw .malformed }
        var verified: [PeerID: String] = [:]
        for peer in peers {
            guard let id = PeerID(peer.name), let number = peer.value.string else { throw .malformed }
            verified[id] = number
        }
        let keys = try SophaxIdentity(
            signing: Self.secret(signing, text), agreement: Self.secret(agreement, text))
        guard let identity = keys else { throw .malformed }
        guard let place = parsed.cuts[2] else {
            try self.init(identity: identity, username: username, verified: verified)
            return
        }
        let record = try Self.secret(place, text)
        try self.init(
            identity: identity, username: username, verified: verified, prekeys: try Self.prekeys(record))
    }

    private static func prekeys(_ record: borrowing SecureBytes) throws(BackupError) -> PrekeyStore {
        do throws(StoredRecordError) {
            return try record.withBytes { (record) throws(StoredRecordError) in try PrekeyStore(decoding: record) }
        } catch {
            switch error {
            case .unknownForm(let form): throw .unknownVersion(form)
            case .malformed, .notAuthentic: throw .malformed
            }
        }
    }

    private static func secret(_ range: Range<Int>, _ text: Span<UInt8>) throws(BackupError) -> SecureBytes {
        let characters: SecureBytes
        do { characters = try JSONScanner.unescape(range, of: text) } catch { throw .malformed }
        let decoded = characters.withBytes { Base64.decode($0) }
        guard let bytes = decoded else { throw .malformed }
        return bytes
    }
}
