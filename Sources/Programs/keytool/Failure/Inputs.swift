import Console
import Encodings
import Threema

extension InputError: Explained {
    var failure: Failure {
        switch self {
        case .notReadable(let path, let code):
            // A code where a file's name belongs is not repeated.
            (try? GroupedCode(parsing: path)).map { (try? IDBackup.scheme(of: $0)) != nil } == true
                ? Failure(
                    .usage, "a backup code must not be an argument", hints: "put it into a file, or pass it on stdin")
                : Failure(.noInput, "cannot read \(path): \(systemMessage(code))")
        case .tooLong(let limit): Failure(.badData, "the input is longer than \(limit) bytes")
        case .notText: Failure(.badData, "the input is not UTF-8 text")
        case .isZIP(let path):
            Failure(
                .badData, "\(path) is a ZIP file",
                hints: "keytool backup import FILE reads an Android data backup, if you name the file")
        case .empty: Failure(.badData, "the input is empty")
        case .noCertificate(let path): Failure(.badData, "\(path) contains no PEM certificate")
        case .hasNUL: Failure(.badData, "the input contains a NUL byte")
        }
    }
}
