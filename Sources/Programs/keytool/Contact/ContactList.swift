import ArgumentParser
import CommandLine
import Console
import Encodings
import ThreemaKeeping
import Threema
import ThreemaSafe

struct ContactList: Verb {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the contacts of an identity with their verification levels.",
        discussion: "Groups and distribution lists are shown by keytool profile show.")

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @Option(help: "How to print them.")
    var format = Format.text

    @OptionGroup var keystore: KeystoreOptions

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, csv, vcard
    }

    func run(_ session: Session) throws {
        guard format == .text || !session.output.isJSON else {
            throw UsageFailure("--json and --format cannot be combined")
        }
        let (keeper, id) = try session.open(named.id, keystore)
        let document = try keeper.profiles.document(of: id)
        let blocked = Set(document.settings.blockedContacts)
        let contacts = document.contacts
        let states = states(of: id, keeper, session.output)
        switch format {
        case .text:
            let style: SafeContact.LevelStyle = Output.isResultColored ? .dots : .words
            let entries = contacts.map { $0.json(isBlocked: blocked.contains($0.identity), states[$0.identity]) }
            try session.output.data(
                drawn: contacts.map { $0.line(style, isBlocked: blocked.contains($0.identity), states[$0.identity]) },
                json: .result("contact list", [("id", .string(id.text)), ("contacts", .array(entries))]))
        case .csv: try session.output.print(table: ContactTable.lines(contacts, blocked: blocked, states))
        case .vcard:
            try session.output.print(table: contacts.flatMap { ContactCard.lines(of: $0, states[$0.identity]) })
        }
    }

    /// What a directory has said of the contacts. A damaged record does not keep them from being listed.
    private func states(
        of id: ThreemaID, _ keeper: ThreemaKeeper, _ output: Output
    ) -> [String: ContactFindings.Kind] {
        do {
            let findings = try keeper.contacts.findings(of: id).findings
            return Dictionary(findings.map { ($0.id.text, $0.kind) }) { first, _ in first }
        } catch {
            output.warn("the states of the contacts are not shown: \(Failure(error).message)")
            return [:]
        }
    }
}
