internal import Encodings
public import SecureMemory
public import Threema

/// What a relay for calls wants to see.
public struct TurnCredentials: ~Copyable, Sendable {
    /// `turn:` and `turns:` URLs, as the directory wrote them.
    public let urls: [String]
    /// Servers that have IPv6, too.
    public let dualStackURLs: [String]
    /// The name that goes with the password.
    public let user: String
    /// As the directory wrote it.
    public let password: SecureBytes
    /// How long they are valid, in seconds from the answer.
    public let expiration: Int
}

/// What the server of group calls wants to see.
public struct GroupCallCredentials: ~Copyable, Sendable {
    /// Where group calls are; not checked against `allowedHostSuffixes` yet.
    public let baseURL: String
    /// A server has to have a name that ends with one of these.
    public let allowedHostSuffixes: [String]
    /// As the directory wrote it.
    public let token: SecureBytes
    /// How long it is valid, in seconds from the answer.
    public let expiration: Int
}

/// What the server of files wants to see: `Authorization: ThreemaBlobToken TOKEN`.
public struct BlobCredentials: ~Copyable, Sendable {
    /// As the directory wrote it.
    public let token: SecureBytes
    /// How long it is valid, in seconds from the answer.
    public let expiration: Int
}

extension SignedRequest where Answer: ~Copyable {
    /// For a call between two.
    public static func turnCredentials(
        for id: ThreemaID
    ) -> SignedRequest<TurnCredentials> where Answer == TurnCredentials {
        SignedRequest("identity/turn_cred", [.identity(id), .init("type", "voip")], .init(secrets: ["turnPassword"])) {
            (fields) throws(DirectoryError) in
            try fields.requireSuccess()
            return TurnCredentials(
                urls: try fields.texts("turnUrls"), dualStackURLs: try fields.texts("turnUrlsDualStack"),
                user: try fields.text("turnUsername"), password: try fields.secret("turnPassword"),
                expiration: try fields.seconds("expiration"))
        }
    }

    /// Asks for what a server of group calls demands of `id`.
    public static func groupCallCredentials(
        for id: ThreemaID
    ) -> SignedRequest<GroupCallCredentials> where Answer == GroupCallCredentials {
        SignedRequest("identity/sfu_cred", [.identity(id)], .init(secrets: ["sfuToken"])) {
            (fields) throws(DirectoryError) in
            try fields.requireSuccess()
            return GroupCallCredentials(
                baseURL: try fields.text("sfuBaseUrl"),
                allowedHostSuffixes: try fields.texts("allowedSfuHostnameSuffixes"),
                token: try fields.secret("sfuToken"), expiration: try fields.seconds("expiration"))
        }
    }

    /// For files. The field `token` of the second reply is the credential, not a challenge.
    public static func blobCredentials(
        for id: ThreemaID
    ) -> SignedRequest<BlobCredentials> where Answer == BlobCredentials {
        SignedRequest("identity/blob_cred", [.identity(id)], .init(secrets: ["token"])) {
            (fields) throws(DirectoryError) in
            try fields.requireSuccess()
            return BlobCredentials(token: try fields.secret("token"), expiration: try fields.seconds("expiration"))
        }
    }
}
