import ArgumentParser
import AtomicFiles
import CommandLine
import Console
import Encodings
import Keystore
import MessengerKeeping
import ProtonMainKey

struct MainKeyVerify: Verb {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Open a file with a MainKey, and store nothing.",
        discussion: """
            The file is an age file, the key itself, or a directory with the app's items. Shows the check value of the \
            key, and whether the keystore holds it. keytool mainkey open-value verifies a value.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The file, - for stdin, or a directory with the app's items.", completion: .file())
    var file: String

    @OptionGroup var opening: MainKeyFileOpening

    func run(_ session: Session) throws {
        let read = try ReadMainKey(at: file, opening, session)
        let id = read.key.checkValue
        let isHeld = try LockedKeystore.mayHold(.mainKey(id), at: session.keystorePath)
        try session.output.data(
            [
                "MainKey     \(id)", "form        \(read.form.words)",
                "keystore    \(isHeld ? "holds it; it was not opened there" : "does not hold it")",
            ],
            json: .mainKey(
                "verify", id,
                [
                    ("form", .string(read.form.rawValue)), ("clear_copy", .bool(read.hasClearCopy)),
                    ("authenticated", .bool(!read.form.isUnauthenticated)), ("held", .bool(isHeld)),
                ]))
        read.warnOfForgery(at: file, session)
        read.warnOfCopy(at: file, session)
    }
}

extension LockedKeystore {
    /// Whether a keystore has this owner. No passphrase is needed; a keystore that is missing has none.
    static func mayHold(_ owner: Owner, at path: String) throws -> Bool {
        do {
            return try owners(at: path).contains(owner)
        } catch FileError.missing {
            return false
        }
    }
}
