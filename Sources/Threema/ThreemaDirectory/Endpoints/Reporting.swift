internal import Encodings
public import HTTP
public import SecureMemory
public import Threema

/// Whether a licence is valid.
public struct LicenceStatus: Equatable, Sendable {
    /// Whether the app may be used.
    public let isValid: Bool
    /// Why it is not; nil if the directory does not say.
    public let reason: ServerWords?
    /// What the directory says about a newer version of the app.
    public let updateMessage: ServerWords?
    /// Where a newer version is; not checked to be a URL.
    public let updateURL: ServerWords?
}

extension SignedRequest where Answer == Void {
    /// Reports an identity that sends junk.
    /// - Parameter nickname: that it has sent; nil for none.
    public static func reportJunk(
        from sender: ThreemaID, nickname: String? = nil, by id: ThreemaID
    ) -> SignedRequest {
        let nickname = nickname.map { [JSONValue.Member("senderNickname", .string($0))] } ?? []
        return SignedRequest(
            "identity/report_junk", [.identity(id), .init("senderIdentity", .string(sender.text))] + nickname
        ) { (fields) throws(DirectoryError) in try fields.requireSuccess() }
    }

    /// Tells a company's directory about the identity.
    /// - Parameter properties: names and texts, as the company's directory knows them.
    public static func updateWorkInformation(
        _ properties: [(name: String, value: String)], of id: ThreemaID
    ) -> SignedRequest {
        let properties = properties.map { JSONValue.Member($0.name, .string($0.value)) }
        return SignedRequest("identity/update_work_info", [.identity(id)] + properties) {
            (fields) throws(DirectoryError) in try fields.requireSuccess()
        }
    }
}

extension ServiceRequest where Answer: ~Copyable, Failure == DirectoryError {
    /// A token for the other servers of a directory that a company runs itself.
    public static func authenticationToken() -> Self where Answer == SecureBytes {
        Self(.get, "auth_token", [], .init(secrets: ["authToken"])) { (fields) throws(DirectoryError) in
            try fields.secret("authToken")
        }
    }
}

extension ServiceRequest where Failure == DirectoryError {
    /// Whether a company's licence is valid.
    /// - Parameters:
    ///   - device: names this installation.
    ///   - version: of the app.
    ///   - architecture: of the machine.
    public static func checkLicence(
        user: String, password: borrowing SecureBytes, device: String, version: String, architecture: String
    ) -> Self where Answer == LicenceStatus {
        let fields: [JSONValue.Member] = [
            .init("licenseUsername", .string(user)), .init("deviceId", .string(device)),
            .init("version", .string(version)), .init("arch", .string(architecture)),
        ]
        return Self("check_license", fields, "licensePassword", password, .init(isFailureAnswer: true)) {
            (fields) throws(DirectoryError) in
            LicenceStatus(
                isValid: try fields.bool("success"), reason: try fields.optionalText("error").map(ServerWords.init),
                updateMessage: try fields.optionalText("updateMessage").map(ServerWords.init),
                updateURL: try fields.optionalText("updateUrl").map(ServerWords.init))
        }
    }
}
