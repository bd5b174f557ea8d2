import ArgumentParser
import CommandLine
import Console
import Encodings
import ThreemaKeeping
import Threema
import ThreemaSafe

struct ContactRemove: Verb {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a contact from the profile.",
        discussion: "The contact remains a member of groups and distribution lists. Only a phone can change these.")

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The contact's ID.")
    var contact: String

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup var named: IdentityOption

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let (keeper, id) = try session.open(named.identity, keystore)
        // An odd ID in a document is taken as it is.
        let identity = ThreemaID(argument: contact)?.text ?? contact
        let prospect = try keeper.contacts.prospect(ofRemoving: identity, from: id)
        let places =
            prospect.groups.map { "the group \"\($0.name.printable)\"" }
            + prospect.lists.map { "the list \"\($0.name.printable)\"" }
        for place in places { session.output.warn("\(identity.printable) remains in \(place)") }
        for group in prospect.groups where group.creator == identity && identity != id.text && !group.isDeleted {
            session.output.warn(
                "an Android phone will not restore the group \"\(group.name.printable)\" without \(identity.printable), who created it"
            )
        }
        let name = prospect.contact.displayName
        if !yes {
            try session.dialog.confirm(
                "remove the contact \(identity.printable)" + (name.isEmpty ? "" : " (\(name.printable))"))
        }
        try keeper.contacts.remove(identity, from: id)
        try session.output.done(
            ["removed the contact \(identity.printable)"],
            json: .result(
                "contact remove",
                [
                    ("id", .string(id.text)), ("contact", .string(identity)), ("removed", true),
                    ("remains_in_groups", .array(prospect.groups.map { .string($0.name) })),
                    ("remains_in_lists", .array(prospect.lists.map { .string($0.name) })),
                ]))
    }
}
