import Console
import Encodings
import Threema

extension InputError: Explained {
    var failure: Failure {
        switch self {
        // A code where a file's name belongs is not repeated.
        case .notReadable(let path, _) where Self.isCode(path):
            Failure(.usage, "a backup code must not be an argument", hints: "put it into a file, or pass it on stdin")
        case .isZIP:
            plainFailure.advising("keytool backup import FILE reads an Android data backup, if you name the file")
        default: plainFailure
        }
    }

    private static func isCode(_ text: String) -> Bool {
        (try? GroupedCode(parsing: text)).map { (try? IDBackup.scheme(of: $0)) != nil } == true
    }
}
