import CommandLine
import Console
import Encodings
import ThreemaSafe

extension SafeBackupError: Explained {
    var failure: Failure {
        switch self {
        case .tooShort(_, let actual):
            Failure(.badData, "the Safe backup is damaged: it has only \(actual) bytes", hints: Self.passwordIsRight)
        case .notAuthentic:
            Failure(.badData, "the Safe backup is damaged: its authentication fails", hints: Self.passwordIsRight)
        case .gzip(.tooLarge(let limit)):
            Failure(.tooLarge, "the Safe backup decompresses to more than \(limit) bytes")
        case .gzip: Failure(.badData, "the Safe backup decrypts, but its content is not gzip")
        case .json(.tooManyValues(let limit)):
            Failure(.tooLarge, "the Safe backup decrypts, but its document has more than \(limit) values")
        case .json(let error):
            Failure(.badData, "the Safe backup decrypts, but its document is not JSON: \(error.words)")
        case .document(.unsupportedVersion(let version)):
            Failure(.badData, "the Safe backup has version \(version); this version supports \(SafeDocument.version)")
        case .document(.missing(let path)): Failure(.badData, "the Safe document has no \(path)")
        case .document(.wrongType(let path)):
            Failure(
                .badData,
                path.isEmpty
                    ? "the Safe document is not a JSON object" : "\(path) in the Safe document has the wrong type")
        case .privateKey: Failure(.badData, "the Safe document contains no private key")
        case .deviceGroupKey:
            Failure(
                .badData, "the device group key in the Safe document does not have 32 bytes",
                hints: "\(safe: "pull") --raw -o FILE downloads the backup as it is")
        case .notReproduced: .defect("verification of the new Safe backup failed; it was discarded")
        }
    }

    private static let passwordIsRight: Hint = "the password is right; the file on the server is truncated or modified"
}

extension JSONError {
    var words: String {
        switch self {
        case .syntax(let offset): "syntax error at byte \(offset)"
        case .duplicateName(let offset): "a member occurs twice, at byte \(offset)"
        case .notUnicode(let offset): "invalid Unicode at byte \(offset)"
        case .tooDeep(let limit): "nested more than \(limit) deep"
        case .tooManyValues(let limit): "more than \(limit) values"
        }
    }
}
