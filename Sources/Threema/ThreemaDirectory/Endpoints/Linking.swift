internal import Encodings
public import HTTP
public import Threema

/// What became of the wish to link an address.
public enum LinkResult: Equatable, Sendable {
    /// It was linked already.
    case alreadyLinked
    /// The directory has sent an e-mail; following the link in it links the address.
    case mailSent
    /// The directory sends a code in a text message; `verify` links the number.
    case codeSent(VerificationID)
    /// Nothing is linked now.
    case unlinked
}

/// Names a phone number that is being linked. Worth nothing without the code.
public struct VerificationID: Equatable, Sendable {
    /// 1 to 256 bytes, as the directory wrote it.
    public let text: String

    /// - Returns: nil for a text of another length.
    public init?(_ text: String) {
        guard (1...256).contains(text.utf8.count) else { return nil }
        self.text = text
    }
}

extension SignedRequest where Answer == LinkResult {
    /// Links an e-mail address.
    /// - Parameter language: of the e-mail, two letters.
    public static func link(_ email: EmailAddress, to id: ThreemaID, language: String) -> SignedRequest {
        linkEmail(email.text, id, language) { (_) throws(DirectoryError) in .mailSent }
    }

    /// Removes the link to the e-mail address.
    public static func unlinkEmail(of id: ThreemaID, language: String) -> SignedRequest {
        linkEmail("", id, language, ifLinked: .unlinked) { (_) throws(DirectoryError) in .unlinked }
    }

    /// Links a phone number.
    /// - Parameter language: of the text message, two letters.
    public static func link(_ number: PhoneNumber, to id: ThreemaID, language: String) -> SignedRequest {
        linkMobile(number.digits, id, language) { (fields) throws(DirectoryError) in
            guard let verification = VerificationID(try fields.text("verificationId")) else {
                throw .malformed(field: "verificationId")
            }
            return .codeSent(verification)
        }
    }

    /// Removes the link to the phone number.
    public static func unlinkMobile(of id: ThreemaID, language: String) -> SignedRequest {
        linkMobile("", id, language, ifLinked: .unlinked) { (_) throws(DirectoryError) in .unlinked }
    }

    private static func linkEmail(
        _ email: String, _ id: ThreemaID, _ language: String, ifLinked: LinkResult = .alreadyLinked,
        read: @escaping @Sendable (ReplyFields) throws(DirectoryError) -> LinkResult
    ) -> SignedRequest {
        link(
            "identity/link_email",
            [.identity(id), .init("email", .string(email)), .init("lang", .string(language))], ifLinked, read: read)
    }

    private static func linkMobile(
        _ digits: String, _ id: ThreemaID, _ language: String, ifLinked: LinkResult = .alreadyLinked,
        read: @escaping @Sendable (ReplyFields) throws(DirectoryError) -> LinkResult
    ) -> SignedRequest {
        link(
            "identity/link_mobileno",
            [
                .identity(id), .init("mobileNo", .string(digits)), .init("lang", .string(language)),
                .init("httpsUrl", true),
            ], ifLinked, read: read)
    }

    /// - Parameter ifLinked: the answer if the first reply says `linked: true` instead of asking for a proof. The
    ///   address that was sent is the linked one then; an empty one means that nothing is linked.
    private static func link(
        _ path: String, _ fields: [JSONValue.Member], _ ifLinked: LinkResult,
        read: @escaping @Sendable (ReplyFields) throws(DirectoryError) -> LinkResult
    ) -> SignedRequest {
        let early: @Sendable (ReplyFields) throws(DirectoryError) -> LinkResult? = { (fields) throws(DirectoryError) in
            guard fields.has("linked"), try fields.bool("linked") else { return nil }
            return ifLinked
        }
        return SignedRequest(path, fields, early: early) { (fields) throws(DirectoryError) in
            try fields.requireSuccess()
            return try read(fields)
        }
    }
}

extension ServiceRequest where Failure == DirectoryError {
    /// Whether an e-mail address is linked to the identity now.
    public static func isLinked(_ email: EmailAddress, to id: ThreemaID) -> Self where Answer == Bool {
        Self(.post, "identity/link_email", [.identity(id), .init("email", .string(email.text))], isRead: true) {
            (fields) throws(DirectoryError) in
            guard fields.has("linked") else { throw try fields.refusalInstead(of: "linked") }
            return try fields.bool("linked")
        }
    }

    /// Links the phone number with the code that the text message holds.
    /// - Parameter code: as typed.
    public static func verify(_ verification: VerificationID, code: String) -> Self where Answer == Void {
        Self(
            .post, "identity/link_mobileno",
            [.init("verificationId", .string(verification.text)), .init("code", .string(code))]
        ) { (fields) throws(DirectoryError) in try fields.requireSuccess() }
    }

    /// Has the directory call the phone number and say the code.
    public static func call(_ verification: VerificationID) -> Self where Answer == Void {
        Self(
            .post, "identity/link_mobileno_call", [.init("verificationId", .string(verification.text))]
        ) { (fields) throws(DirectoryError) in try fields.requireSuccess() }
    }
}
