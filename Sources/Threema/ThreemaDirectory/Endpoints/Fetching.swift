internal import Encodings
public import HTTP
public import Threema

/// What a directory stores of an identity for its owner alone.
public struct OwnEntry: Equatable, Sendable {
    /// Which chat server is the identity's.
    public let serverGroup: String
    /// The linked e-mail address, as the directory shows it; nil without one.
    public let email: ServerWords?
    /// The linked phone number, as the directory shows it; nil without one.
    public let mobileNumber: ServerWords?
}

extension ServiceRequest where Failure == DirectoryError {
    /// What the directory says of one identity.
    /// - Returns: a request whose reply throws `.unknownIdentity` if no identity has this ID.
    public static func fetch(_ id: ThreemaID) -> Self where Answer == DirectoryEntry {
        Self(.get, "identity/" + escaped(id), [], .init(isOfIdentity: true)) { (fields) throws(DirectoryError) in
            let entry = try DirectoryEntry(fields)
            guard entry.id == id else { throw .malformed(field: "identity") }
            return entry
        }
    }

    /// What the directory says of several identities. Those that are unknown or revoked are missing in the answer.
    /// - Parameter ids: 1 to `DirectoryClient.maxIdentities`.
    public static func fetch(
        _ ids: [ThreemaID]
    ) throws(DirectoryError) -> Self where Answer == [DirectoryEntry] {
        let asked = Set(ids)
        return Self(.post, "identity/fetch_bulk", [try .identities(ids)], .ofList(ids.count), isRead: true) {
            (fields) throws(DirectoryError) in
            var entries: [DirectoryEntry] = []
            var found: Set<ThreemaID> = []
            for fields in try fields.objects("identities") {
                let entry = try DirectoryEntry(fields)
                guard asked.contains(entry.id), found.insert(entry.id).inserted else {
                    throw .malformed(field: "identities")
                }
                entries.append(entry)
            }
            return entries
        }
    }

    /// State, kind and features of several identities, in the same order.
    /// - Parameter ids: 1 to `DirectoryClient.maxIdentities`.
    public static func check(
        _ ids: [ThreemaID]
    ) throws(DirectoryError) -> Self where Answer == CheckedIdentities {
        Self(.post, "identity/check", [try .identities(ids)], .ofList(ids.count), isRead: true) {
            (fields) throws(DirectoryError) in
            let states = try fields.numbers("states", count: ids.count)
            let kinds = try fields.numbers("types", count: ids.count)
            let masks = try fields.optionalNumbers("featureMasks", count: ids.count)
            var checked: [CheckedIdentity] = []
            for index in ids.indices {
                let state = try IdentityState(states[index], field: "states")
                checked.append(
                    CheckedIdentity(
                        id: ids[index], state: state, kind: IdentityKind(rawValue: kinds[index]),
                        featureMask: masks[index].map(FeatureMask.init)))
            }
            return CheckedIdentities(checkInterval: try fields.checkInterval(), identities: checked)
        }
    }

    /// What the apps of several identities can do, in the same order; nil for an identity that is not valid.
    /// - Parameter ids: 1 to `DirectoryClient.maxIdentities`.
    public static func checkFeatureMask(
        _ ids: [ThreemaID]
    ) throws(DirectoryError) -> Self where Answer == [FeatureMask?] {
        Self(.post, "identity/check_featuremask", [try .identities(ids)], .ofList(ids.count), isRead: true) {
            (fields) throws(DirectoryError) in
            try fields.optionalNumbers("featureMasks", count: ids.count).map { $0.map(FeatureMask.init) }
        }
    }

    /// The path of an ID: a gateway's begins with a star, which needs no escape (RFC 3986, 2.2).
    private static func escaped(_ id: ThreemaID) -> String { id.text }
}

extension SignedRequest {
    /// What the directory stores of an identity for its owner alone.
    public static func fetchOwn(_ id: ThreemaID) -> SignedRequest where Answer == OwnEntry {
        SignedRequest("identity/fetch_priv", [.identity(id), .init("appVariant", "consumer")]) {
            (fields) throws(DirectoryError) in
            try fields.requireSuccess()
            return OwnEntry(
                serverGroup: try fields.serverGroup(), email: try fields.optionalText("email").map(ServerWords.init),
                mobileNumber: try fields.optionalText("mobileNo").map(ServerWords.init))
        }
    }

    /// Tells the directory what the own app can do.
    public static func setFeatureMask(_ mask: FeatureMask, of id: ThreemaID) -> SignedRequest where Answer == Void {
        SignedRequest("identity/set_featuremask", [.identity(id), .init("featureMask", .number(mask.rawValue))]) {
            (fields) throws(DirectoryError) in try fields.requireSuccess()
        }
    }
}

/// What `check` says of one identity.
public struct CheckedIdentity: Equatable, Sendable {
    /// The ID that the directory speaks of.
    public let id: ThreemaID
    /// Whether it is in use; `invalid` also if it never existed.
    public let state: IdentityState
    /// Which app it belongs to.
    public let kind: IdentityKind
    /// Nil for an identity that is not valid.
    public let featureMask: FeatureMask?
}

/// What `check` says of all identities that it was asked for.
public struct CheckedIdentities: Equatable, Sendable {
    /// When to ask again, in seconds.
    public let checkInterval: Int
    /// In the order in which they were asked for.
    public let identities: [CheckedIdentity]
}

extension JSONValue.Member {
    static func identity(_ id: ThreemaID) -> Self { .init("identity", .string(id.text)) }

    static func identities(_ ids: [ThreemaID]) throws(DirectoryError) -> Self {
        let allowed = 1...DirectoryClient.maxIdentities
        guard allowed.contains(ids.count) else { throw .wrongCount(ids.count, allowed: allowed) }
        return .init("identities", .array(ids.map { .string($0.text) }))
    }
}

extension ReplyFields.Reading {
    /// A reply with so many elements: up to 512 bytes and 16 values each.
    static func ofList(_ count: Int) -> Self {
        .init(maxBytes: 64 * 1024 + 512 * count, maxValues: 1000 + 16 * count)
    }
}

extension ReplyFields {
    static let defaultCheckInterval = 86_400

    /// In seconds, one minute to 30 days; a day if the directory does not say.
    func checkInterval() throws(DirectoryError) -> Int {
        guard has("checkInterval") else { return Self.defaultCheckInterval }
        return min(max(60, try seconds("checkInterval")), 30 * 86_400)
    }

    /// Numbers or nulls, as many as were asked for.
    func optionalNumbers(_ name: String, count: Int) throws(DirectoryError) -> [UInt64?] {
        let list = try list(name)
        guard list.count == count else { throw .malformed(field: name) }
        var numbers: [UInt64?] = []
        for value in list {
            switch value {
            case .null: numbers.append(nil)
            case .number(let literal):
                guard let number = UInt64(literal) else { throw .malformed(field: name) }
                numbers.append(number)
            default: throw .malformed(field: name)
            }
        }
        return numbers
    }

    func numbers(_ name: String, count: Int) throws(DirectoryError) -> [UInt64] {
        let numbers = try optionalNumbers(name, count: count).compactMap { $0 }
        guard numbers.count == count else { throw .malformed(field: name) }
        return numbers
    }
}
