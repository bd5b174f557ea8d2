import ArgumentParser
import CommandLine
import Console
import Encodings
import ThreemaKeeping
import Threema
import ThreemaSafe

struct ProfileExport: Verb {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the profile as a JSON document without keys.",
        discussion: "The file is not encrypted. It holds the names of your contacts and groups, and your phone number.")

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @OptionGroup var written: DocumentOptions

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let target = try written.target(outside: session.reserved)
        let (keeper, id) = try session.open(named.id, keystore)
        let document = try keeper.profiles.document(of: id)
        let escaped = document.encodedForOutput
        // With all escapes, it might be too long to be imported again.
        let bytes = escaped.count <= SafeBackup.maxDocumentBytes ? escaped : document.encoded
        try target.write(bytes.span) { path in
            try session.output.done(
                ["wrote the profile of \(id) to \(path); it is not encrypted"],
                json: .result(
                    "profile export",
                    [
                        ("id", .string(id.text)), ("file", .string(path)), ("bytes", .number(bytes.count)),
                        ("contacts", .number(document.contactCount)), ("groups", .number(document.groupCount)),
                        ("distribution_lists", .number(document.distributionListCount)),
                    ]))
        }
    }
}
