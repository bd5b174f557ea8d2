import Console
import Encodings
import TelegramSessions
import Threema

extension InputError: Explained {
    var failure: Failure {
        switch self {
        // A code where a file's name belongs is not repeated.
        case .notReadable(let path, _) where Self.isCode(path):
            Failure(.usage, "a backup code must not be an argument", hints: Self.wayOut)
        case .notReadable(let path, _) where TelegramSession.isText(Array(path.utf8).span):
            Failure(.usage, "a session text must not be an argument", hints: Self.wayOut)
        case .notReadable(let path, _) where GatewayKeyText.isLikely(Array(path.utf8).span):
            Failure(.usage, "a private key must not be an argument", hints: Self.wayOut)
        case .notReadable(let path, _) where path.uppercased().hasPrefix("AGE-SECRET-KEY-"):
            Failure(
                .usage, "an age secret key must not be an argument",
                hints: "other processes can see arguments: replace this key", Self.wayOut)
        case .isZIP:
            plainFailure.advising("keytool backup import FILE reads an Android data backup, if you name the file")
        default: plainFailure
        }
    }

    private static let wayOut: Hint = "put it into a file, or pass it on stdin"

    private static func isCode(_ text: String) -> Bool {
        (try? GroupedCode(parsing: text)).map { (try? IDBackup.scheme(of: $0)) != nil } == true
    }
}
