import ArgumentParser
import CommandLine
import Console
import Encodings
import SecureMemory
import ThreemaKeeping
import Threema
import ThreemaSafe

struct ProfileImport: Verb {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Replace the profile by that of a JSON document.",
        discussion: """
            The file is one that keytool profile export or keytool safe pull --output has written. If it holds a \
            private key, that must be the key in the keystore.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: ArgumentHelp("The document, or - for stdin.", valueName: "file"), completion: .file())
    var file: String

    @OptionGroup var named: IdentityOption

    @Flag(help: "Accept the loss of changes that were not uploaded.")
    var replace = false

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        try keystore.passphrase.requireOtherSource(ifTaken: file == "-")
        let document = try DocumentFile(readingFrom: file)
        let (keeper, id) = try session.open(named.identity, keystore)
        let isStored = try Self.explained(id) {
            try keeper.profiles.replace(by: document, of: id, isReplacing: replace)
        }
        let new = document.profile.document
        if new.contacts.contains(where: { $0.identity == id.text }) {
            session.output.warn("the profile has \(id) as a contact: is it that of another identity?")
        }
        try session.output.done(
            [
                isStored
                    ? "imported the profile of \(id): \(Counted.text(new.contactCount, "contact")), "
                        + "\(Counted.text(new.groupCount, "group")), "
                        + Counted.text(new.distributionListCount, "list")
                    : "the profile of \(id) is the same already"
            ],
            json: .result(
                "profile import",
                [
                    ("id", .string(id.text)), ("stored", .bool(isStored)),
                    ("contacts", .number(new.contactCount)), ("groups", .number(new.groupCount)),
                    ("distribution_lists", .number(new.distributionListCount)),
                ]))
    }

    private static func explained<Result>(_ id: ThreemaID, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SafeBackupError {
            throw error.failureOfFile
        }
    }
}

extension DocumentFile {
    /// Reads a document from a file, or from stdin for `-`.
    /// - Throws: `InputError`; `Failure` with the layer that failed.
    init(readingFrom path: String) throws {
        let input = InputFile(operand: path)
        do {
            let json = try input.readGuarded(limit: SafeBackup.maxDocumentBytes)
            self = try json.withBytes { (json) throws(SafeBackupError) in try DocumentFile(decoding: json) }
        } catch InputError.tooLong(let limit) {
            throw SafeBackupError.gzip(.tooLarge(limit: limit)).failureOfFile
        } catch let error as SafeBackupError {
            throw error.failureOfFile
        }
    }
}
