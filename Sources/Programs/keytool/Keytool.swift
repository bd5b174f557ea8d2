import ArgumentParser
import CommandLine
import CommandParsing
import Console

/// The table of verbs: a noun, then a verb.
@main
struct Keytool: RootCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "keytool",
        abstract: "Create, back up and restore messenger identities.",
        discussion: """
            To start, create an identity: keytool id create. Or import yours from a phone: keytool backup import. \
            Then make a backup code: keytool backup export. Then set up a Safe backup: keytool safe setup.

            The terms are explained in man keytool.
            """,
        version: "keytool \(version)",
        groupedSubcommands: [
            CommandGroup(
                name: "Identity and backup",
                subcommands: ThreemaMessenger.nouns + [RevokeCommand.self, QRCommand.self]),
            CommandGroup(name: "Keystore", subcommands: [KeyCommand.self, ArchiveCommand.self, Doctor.self]),
            CommandGroup(
                name: "Other messengers", subcommands: Messengers.shipped.others.flatMap { $0.nouns }),
        ]
    )

    @OptionGroup var globals: GlobalOptions

    static var grammar: CommandGrammar { .keytool }

    static var messengers: Messengers { .shipped }

    static func main() { Program.run(Self.self, in: grammar) }
}

struct IDCommand: Noun {
    static let configuration = CommandConfiguration(
        commandName: "id", abstract: "Create, list, show and remove identities; ask the directory.",
        subcommands: [IDCreate.self, IDList.self, IDShow.self, IDRemove.self, IDFetch.self, IDLink.self, IDRevoke.self])

    @ParentCommand var root: Keytool
    @OptionGroup var globals: GlobalOptions
}

struct BackupCommand: Noun {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Export an identity as a backup code, and import it again.",
        subcommands: [BackupExport.self, BackupImport.self, BackupCheck.self])

    @ParentCommand var root: Keytool
    @OptionGroup var globals: GlobalOptions
}

struct SafeCommand: Noun {
    static let configuration = CommandConfiguration(
        commandName: "safe", abstract: "Store an encrypted backup of an identity on a Safe server.",
        subcommands: [
            SafeSetup.self, SafePush.self, SafePull.self, SafeStatus.self, SafeCheck.self, SafePasswd.self,
            SafeMirror.self, SafeHistory.self, SafeScheduleCommand.self, SafeMove.self, SafeServerCommand.self,
            SafeCard.self, SafeDelete.self,
        ])

    @ParentCommand var root: Keytool
    @OptionGroup var globals: GlobalOptions
}

struct ProfileCommand: Noun {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "Show, edit, export and compare what a Safe has beside the key.",
        subcommands: [ProfileShow.self, ProfileSet.self, ProfileExport.self, ProfileImport.self, ProfileDiff.self])

    @ParentCommand var root: Keytool
    @OptionGroup var globals: GlobalOptions
}

struct ContactCommand: Noun {
    static let configuration = CommandConfiguration(
        commandName: "contact", abstract: "List, add, verify, check, remove and find contacts.",
        subcommands: [
            ContactList.self, ContactAdd.self, ContactVerify.self, ContactCheck.self, ContactRemove.self,
            ContactMatch.self,
        ])

    @ParentCommand var root: Keytool
    @OptionGroup var globals: GlobalOptions
}

struct KeyCommand: Noun {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Protect the keystore with a passphrase, and import key files.",
        subcommands: [
            KeyStatus.self, KeyProtect.self, KeyPasswd.self, KeyUnprotect.self, KeyImport.self, KeyUnlock.self,
            KeyLock.self,
        ])

    @ParentCommand var root: Keytool
    @OptionGroup var globals: GlobalOptions
}

struct ArchiveCommand: Noun {
    static let configuration = CommandConfiguration(
        commandName: "archive", abstract: "Write all identities to one encrypted file, and import them again.",
        subcommands: [ArchiveExport.self, ArchiveImport.self, ArchiveCheck.self, ArchiveList.self])

    @ParentCommand var root: Keytool
    @OptionGroup var globals: GlobalOptions
}

struct QRCommand: Noun {
    static let configuration = CommandConfiguration(
        commandName: "qr", abstract: "Draw QR codes in the terminal or as a picture.",
        subcommands: [QRShow.self, QRContact.self])

    @ParentCommand var root: Keytool
    @OptionGroup var globals: GlobalOptions
}

struct RevokeCommand: Noun {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Prepare the revocation of an identity.",
        subcommands: [RevokeHash.self, RevokeSet.self, RevokeCheck.self])

    @ParentCommand var root: Keytool
    @OptionGroup var globals: GlobalOptions
}
