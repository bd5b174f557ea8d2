public import Encodings
public import HTTP
public import Threema

/// Whether an identity can be revoked by a password.
public struct RevocationStatus: Equatable, Sendable {
    /// Whether there is a revocation key.
    public let isSet: Bool
    /// When the key was last set; nil if the directory does not say.
    public let lastChanged: Timestamp?
}

extension SignedRequest {
    /// Sets the key by which a password revokes the identity; it replaces an earlier one.
    public static func setRevocationKey(
        _ key: RevocationKey, of id: ThreemaID
    ) -> SignedRequest where Answer == Void {
        SignedRequest("identity/set_revocation_key", [.identity(id), .revocationKey(key)]) {
            (fields) throws(DirectoryError) in try fields.requireSuccess()
        }
    }

    /// Whether a revocation key is set.
    public static func checkRevocationKey(of id: ThreemaID) -> SignedRequest where Answer == RevocationStatus {
        SignedRequest("identity/check_revocation_key", [.identity(id)]) { (fields) throws(DirectoryError) in
            guard fields.has("revocationKeySet") else { throw try fields.refusalInstead(of: "revocationKeySet") }
            let isSet = try fields.bool("revocationKeySet")
            guard let text = try fields.optionalText("lastChanged") else {
                return RevocationStatus(isSet: isSet, lastChanged: nil)
            }
            guard let time = Timestamp(isoSeconds: text) else { throw .malformed(field: "lastChanged") }
            return RevocationStatus(isSet: isSet, lastChanged: time)
        }
    }

    /// Revokes the identity by its client key. This cannot be undone.
    public static func revoke(_ id: ThreemaID) -> SignedRequest where Answer == Void {
        SignedRequest("identity/revoke", [.identity(id)]) { (fields) throws(DirectoryError) in
            try fields.requireSuccess()
        }
    }
}

extension ServiceRequest where Failure == DirectoryError {
    /// Revokes an identity by its revocation password, without its client key. This cannot be undone.
    public static func revoke(_ id: ThreemaID, by key: RevocationKey) -> Self where Answer == Void {
        Self(.post, "identity/ws/revoke", [.identity(id), .revocationKey(key)]) { (fields) throws(DirectoryError) in
            try fields.requireSuccess()
        }
    }
}

extension JSONValue.Member {
    fileprivate static func revocationKey(_ key: RevocationKey) -> Self {
        .init("revocationKey", .string(Base64.encode(key.bytes.span)))
    }
}

extension Timestamp {
    /// - Parameter text: `2014-10-29T12:32:54Z`; nil for anything else.
    fileprivate init?(isoSeconds text: String) {
        guard text.utf8.count == 20, text.hasSuffix("Z") else { return nil }
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }
        self.init(compact: String(decoding: digits.dropLast(), as: UTF8.self) + "000Z")
        guard rfc3339 == text else { return nil }
    }
}
