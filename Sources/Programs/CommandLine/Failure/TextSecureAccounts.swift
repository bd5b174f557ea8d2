package import Console
import Encodings
import Ratchet
package import TextSecure

extension TextSecureAccountError: Explained {
    package var failure: Failure {
        switch self {
        case .wrongRegistrationID: Failure(.badData, "the account's registration ID is not 1 to 16380")
        case .lastResortInPool(let id):
            Failure(.badData, "the account has a prekey with the ID \(id), which is that of the last-resort prekey")
        case .wrongLastResortID:
            Failure(.badData, "the account's last-resort prekey has an ID that no client has used")
        case .wrongName:
            Failure(.badData, "a server or relay has 1 to \(TextSecureAccount.maxNameCount) printable characters")
        case .wrongNumber: Failure(.badData, "the account's number is not a phone number with a plus sign")
        case .wrongPassword: Failure(.badData, "the account's password is empty, too long, or not printable")
        case .tooLong(let limit): Failure(.badData, "the account's text is longer than \(ByteCount.text(limit))")
        case .malformed: Failure(.badData, "the content is not the text of a TextSecure account")
        case .unknownMember:
            Failure(
                .badData, "the account's text has a member that keytool does not know",
                hints: "a newer keytool may have written it")
        case .otherMessenger: Failure(.badData, "the content is of another messenger than TextSecure")
        case .unknownVersion(let version):
            Failure(
                .badData,
                version.map { "the account's text has version \($0), which is not supported" }
                    ?? "the version of the account's text is not a number")
        case .malformedIdentity: Failure(.badData, "the account's identity key is not 32 bytes in Base64")
        case .malformedSignalingKey: Failure(.badData, "the account's signaling key is not 52 bytes in Base64")
        case .malformedPrekey(let id): Failure(.badData, "the prekey \(id) is not 32 bytes in Base64")
        case .wrongPrekeys:
            Failure(
                .badData,
                "the account has more than \(PrekeyPool.Rules.maxBatch) prekeys, two of one ID, or an impossible ID")
        }
    }
}
