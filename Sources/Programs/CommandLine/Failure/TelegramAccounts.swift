package import Console
package import Telegram

extension TelegramAccountError: Explained {
    package var failure: Failure {
        switch self {
        case .tooManyKeys(let limit): Failure(.badData, "the account has more than \(limit) keys")
        case .duplicateDataCentre(let number):
            Failure(.badData, "the account has two keys for data centre \(number)")
        case .noMainKey(let number):
            Failure(.badData, "the account has no key for its main data centre, \(number)")
        case .tooLong(let limit): Failure(.badData, "the account's text is longer than \(ByteCount.text(limit))")
        case .malformed: Failure(.badData, "the content is not the text of a Telegram account")
        case .unknownMember:
            Failure(
                .badData, "the account's text has a member that keytool does not know",
                hints: "a newer keytool may have written it")
        case .otherMessenger: Failure(.badData, "the content is of another messenger than Telegram")
        case .unknownVersion(let version):
            Failure(
                .badData,
                version.map { "the account's text has version \($0), which is not supported" }
                    ?? "the version of the account's text is not a number")
        case .malformedKey(let number):
            Failure(.badData, "the key for data centre \(number) is not 256 bytes in Base64")
        }
    }
}

/// No account has a key of this ID.
package struct NoTelegramKey: Explained {
    private let id: KeyID

    package init(id: KeyID) { self.id = id }

    package var failure: Failure {
        Failure(.absent, "no Telegram account has the key \(id)", hints: "keytool telegram show lists the keys")
            .because(of: "no_key")
    }
}
