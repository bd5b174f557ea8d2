internal import Encodings
internal import HTTP
internal import Ratchet

/// A prekey as the server has it.
public struct PublicPrekey: Equatable, Sendable {
    /// Ids have 24 bits.
    public static let ids: ClosedRange<UInt32> = 0...0xFF_FFFF

    /// The id, one of `ids`.
    public let id: UInt32
    /// The public key, 33 bytes.
    public let key: PublicKey33

    /// - Returns: nil for an id of more than 24 bits.
    public init?(id: UInt32, key: PublicKey33) {
        guard Self.ids.contains(id) else { return nil }
        self.id = id
        self.key = key
    }

    fileprivate func json(_ identity: PublicKey33) -> JSONValue {
        ["identityKey": .string(identity.text), "keyId": .number(id), "publicKey": .string(key.text)]
    }
}

/// What the server hands out of somebody's keys. Nobody signed the prekey: only the fingerprint of the identity tells
/// whose it is.
public struct ContactKeys: Equatable, Sendable {
    /// The contact's identity key. Compare it with a known one, or its fingerprint with the contact.
    public let identity: PublicKey33
    /// One of the contact's prekeys.
    public let prekey: PublicPrekey
}

extension ServerRequest where Answer == Void {
    /// Most prekeys in one upload.
    public static var maxPrekeys: Int { 1000 }

    /// Uploads the public keys. The server replaces its whole list, so give all that are unused; each one has to be
    /// stored before.
    /// - Throws: `.tooMany`.
    public static func upload(
        _ prekeys: [PublicPrekey], lastResort: PublicPrekey, identity: PublicKey33
    ) throws(ServerError) -> ServerRequest {
        guard prekeys.count <= maxPrekeys else { throw .tooMany(limit: maxPrekeys) }
        let body: JSONValue = [
            "keys": .array(prekeys.map { $0.json(identity) }), "lastResortKey": lastResort.json(identity),
        ]
        return ServerRequest(.put, "/v1/keys/", json: body) { _ in }
    }

    /// Uploads all public keys of an account. It has to be stored before, as it is now.
    /// - Throws: `.tooMany`.
    public static func uploadKeys(of account: borrowing TextSecureAccount) throws(ServerError) -> ServerRequest {
        // IDs have 24 bits, and the public key of a clamped private one is never of low order.
        let prekeys = account.prekeys.publicPrekeys().map { prekey in
            PublicPrekey(id: prekey.id, key: PublicKey33(point: prekey.publicKey)!)!
        }
        let lastResort = PublicPrekey(id: account.lastResort.id, key: account.lastResort.key.publicKey)!
        return try upload(prekeys, lastResort: lastResort, identity: account.identity.publicKey)
    }
}

extension ServerRequest where Answer == ContactKeys {
    /// Asks for the keys of a contact. The server gives away one prekey for each such request.
    /// - Parameter relay: the contact's server in a federation: letters, digits, `.`, `-` and `_`.
    /// - Throws: `.badParameter`.
    public static func keys(of number: AccountNumber, relay: String? = nil) throws(ServerError) -> ServerRequest {
        var path = "/v1/keys/\(number)"
        if let relay {
            guard isName(relay) else { throw .badParameter }
            path += "?relay=" + relay
        }
        return ServerRequest(.get, path) { (reply) throws(ServerError) in
            let fields = try AnswerFields(reply)
            let key = try fields.publicKey("publicKey")
            guard let id = UInt32(exactly: try fields.number("keyId")), let prekey = PublicPrekey(id: id, key: key)
            else { throw .malformed(field: "keyId") }
            return ContactKeys(identity: try fields.publicKey("identityKey"), prekey: prekey)
        }
    }

    /// Nothing that has a meaning in a URL.
    private static func isName(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count)
            && text.utf8.allSatisfy { character in
                switch character {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "a")...UInt8(ascii: "z"): true
                default: ".-_".utf8.contains(character)
                }
            }
    }
}
