import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore

struct AccountList<M: KeptMessenger>: Verb {
    typealias Root = M.Root

    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: "list", abstract: "List the \(M.words.titles) of the keystore.")
    }

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        var listing = Listing(session.output)
        if let open = try session.listedKeystore(keystore.passphrase) {
            let keeper = M.keeper(of: open, session)
            for id in try M.ids(in: open) {
                let name: [(String, JSONValue?)] = [("id", .string(M.owner(id).id))]
                listing.add(name) {
                    let summary = try M.summary(of: id, in: keeper)
                    return ("\(id)  \(summary.line)", name + summary.members)
                }
            }
        }
        try listing.finish {
            try session.output.data(
                listing.lines, json: M.result("list", [(M.words.listing.member, .array(listing.entries))]))
        }
    }
}
