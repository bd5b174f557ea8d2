internal import Encodings
internal import SecureMemory
public import Threema
package import HTTP

/// An identity that a directory has just made.
public struct CreatedIdentity: Equatable, Sendable {
    /// The ID that the directory has drawn.
    public let id: ThreemaID
    /// Which chat server is the identity's, 1 to 8 bytes of text.
    public let serverGroup: String
}

/// What one app of many asks for; a directory of its own may ask for something else.
public struct CreationDetail: Equatable, Sendable {
    let name: String
    let value: String

    /// A field of the second request, for example `deviceId`; not one that every request has.
    /// - Returns: nil for the names `publicKey`, `token` and `response`.
    public init?(_ name: String, _ value: String) {
        guard !["publicKey", "token", "response"].contains(name) else { return nil }
        self.name = name
        self.value = value
    }
}

extension SignedRequest {
    /// Registers a key: the directory draws an ID for it. The key proves itself; asked again after an answer was lost,
    /// the directory draws another ID.
    /// - Parameters:
    ///   - key: new, and used for nothing else.
    ///   - details: sent with the second request, each name once.
    public static func create(
        _ key: borrowing ClientKey, details: [CreationDetail] = []
    ) -> SignedRequest where Answer == CreatedIdentity { create(key, details, nil) }

    /// As above, at the directory of a company, whose licence the identity uses.
    /// - Parameter license: user and password of the licence. The password is UTF-8.
    package static func create(
        _ key: borrowing ClientKey, license: borrowing Login
    ) -> SignedRequest where Answer == CreatedIdentity {
        let user = CreationDetail("licenseUsername", license.user)
        return create(key, user.map { [$0] } ?? [], SecretField("licensePassword", license.password))
    }

    private static func create(
        _ key: borrowing ClientKey, _ details: [CreationDetail], _ secret: SecretField?
    ) -> SignedRequest where Answer == CreatedIdentity {
        let publicKey = Base64.encode(key.publicKey.bytes.span)
        return SignedRequest(
            "identity/create", [.init("publicKey", .string(publicKey))],
            secondFields: details.map { .init($0.name, .string($0.value)) }, secret: secret
        ) { (fields) throws(DirectoryError) in
            try fields.requireSuccess()
            guard let id = try? ThreemaID(fields.text("identity")) else { throw .malformed(field: "identity") }
            return CreatedIdentity(id: id, serverGroup: try fields.serverGroup())
        }
    }
}

extension ReplyFields {
    func serverGroup() throws(DirectoryError) -> String {
        let group = try text("serverGroup")
        guard (1...8).contains(group.utf8.count), group.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw .malformed(field: "serverGroup")
        }
        return group
    }
}
