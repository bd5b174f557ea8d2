internal import Encodings
public import HTTP
public import SecureMemory
public import Threema

/// What permits an identity to look for contacts, for some time: as secret as a password.
public struct MatchToken: ~Copyable, Sendable {
    /// As the directory wrote it.
    public let bytes: SecureBytes

    /// A token that was stored.
    public init(_ bytes: consuming SecureBytes) { self.bytes = bytes }

    /// Whether a new token may help, once, if a search fails with this one. It does not if the directory asks to wait.
    public static func isWorthRefreshing(after error: DirectoryError) -> Bool {
        if case .rateLimited = error { false } else { true }
    }
}

/// A contact that the directory knows.
public struct FoundContact: Equatable, Sendable {
    /// The ID that the phone number or e-mail address belongs to.
    public let id: ThreemaID
    /// Its key, as the directory says. Nil if that is not one, for example a point of low order: do not write to this
    /// identity.
    public let publicKey: PublicKey?
    /// Which of the hashes that were sent is the contact's: at least one.
    public let hashes: [ContactHash]
}

/// What a search has found.
public struct FoundContacts: Equatable, Sendable {
    /// When to search again, in seconds.
    public let checkInterval: Int
    /// In the order of the reply.
    public let contacts: [FoundContact]
}

extension SignedRequest where Answer == MatchToken {
    /// Asks for a token, which searches for contacts need.
    public static func matchToken(for id: ThreemaID) -> SignedRequest {
        SignedRequest("identity/match_token", [.identity(id)], .init(secrets: ["matchToken"])) {
            (fields) throws(DirectoryError) in
            try fields.requireSuccess()
            return MatchToken(try fields.secret("matchToken"))
        }
    }
}

extension ServiceRequest where Answer == FoundContacts, Failure == DirectoryError {
    /// Most hashes in one search.
    public static var maxHashes: Int { 10_000 }

    /// Looks for contacts by hashes of their addresses. The directory learns the hashes, and can find most phone
    /// numbers by trying all of them.
    /// - Parameters:
    ///   - hashes: 1 to `maxHashes`.
    ///   - isIncludingInactive: also identities that were not used for a long time.
    public static func match(
        _ hashes: [ContactHash], token: borrowing MatchToken, isIncludingInactive: Bool = false
    ) throws(DirectoryError) -> Self {
        let fields = try fields(hashes, isIncludingInactive)
        return Self(
            path, fields, "matchToken", token.bytes, .ofList(hashes.count), isRead: true, read: reading(Set(hashes)))
    }

    /// The same for a directory that wants no token.
    public static func match(
        _ hashes: [ContactHash], isIncludingInactive: Bool = false
    ) throws(DirectoryError) -> Self {
        let fields = try fields(hashes, isIncludingInactive)
        return Self(.post, path, fields, .ofList(hashes.count), isRead: true, read: reading(Set(hashes)))
    }

    private static var path: String { "identity/match" }

    private static func fields(
        _ hashes: [ContactHash], _ isIncludingInactive: Bool
    ) throws(DirectoryError) -> [JSONValue.Member] {
        guard (1...maxHashes).contains(hashes.count) else {
            throw .wrongCount(hashes.count, allowed: 1...maxHashes)
        }
        var fields: [JSONValue.Member] = []
        for kind in [ContactHash.Kind.email, .phone] {
            let list = hashes.filter { $0.kind == kind }.map { JSONValue.string($0.base64) }
            fields.append(.init(kind.listName, .array(list)))
        }
        if isIncludingInactive { fields.append(.init("includeInactive", true)) }
        return fields
    }

    private static func reading(
        _ sent: Set<ContactHash>
    ) -> @Sendable (ReplyFields) throws(DirectoryError) -> FoundContacts {
        { (reply) throws(DirectoryError) in
            let interval = try reply.checkInterval()
            var contacts: [FoundContact] = []
            var earlier: [ThreemaID: FoundContact] = [:]
            for fields in try reply.objects("identities") {
                let found = try contact(fields, sent)
                // Somebody who is found by several addresses has the same key in all entries.
                guard earlier[found.id, default: found].publicKey == found.publicKey else {
                    throw DirectoryError.malformed(field: "publicKey")
                }
                earlier[found.id] = found
                contacts.append(found)
            }
            return FoundContacts(checkInterval: interval, contacts: contacts)
        }
    }

    private static func contact(
        _ fields: ReplyFields, _ sent: Set<ContactHash>
    ) throws(DirectoryError) -> FoundContact {
        guard let id = try? ThreemaID(fields.text("identity")) else { throw .malformed(field: "identity") }
        let publicKey = PublicKey(try fields.base64("publicKey"))
        var hashes: [ContactHash] = []
        for kind in [ContactHash.Kind.email, .phone] where fields.has(kind.name) {
            // A directory that returns others would make us believe that somebody has an address.
            guard let hash = ContactHash(kind, digest: try fields.base64(kind.name)), sent.contains(hash) else {
                throw .malformed(field: kind.name)
            }
            hashes.append(hash)
        }
        guard !hashes.isEmpty else { throw .malformed(field: "identities") }
        return FoundContact(id: id, publicKey: publicKey, hashes: hashes)
    }
}

extension ContactHash.Kind {
    /// Of a hash in a reply.
    fileprivate var name: String { self == .email ? "emailHash" : "mobileNoHash" }
    /// Of the hashes in a request.
    fileprivate var listName: String { name + "es" }
}
