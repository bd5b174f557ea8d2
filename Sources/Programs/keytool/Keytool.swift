import ArgumentParser
import CommandLine
import CommandParsing
import Console

/// The table of verbs: a noun, then a verb.
@main
struct Keytool: RootCommand {
    static let configuration = CommandConfiguration(
        commandName: "keytool",
        abstract: "Create, back up and restore messenger identities.",
        discussion: """
            To start, create an identity: keytool id create. Or import yours from a phone: keytool backup import. \
            Then make a backup code: keytool backup export. Then set up a Safe backup: keytool safe setup.

            The terms are explained in man keytool.
            """,
        version: "keytool \(Release.version)",
        groupedSubcommands: [
            CommandGroup(
                name: "Identity and backup",
                subcommands: ThreemaMessenger.nouns + [RevokeCommand.self, QRCommand.self] + OnPremMessenger.nouns),
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

extension Noun {
    typealias Root = Keytool
}

extension Verb {
    typealias Root = Keytool
}

struct IDCommand: Noun {
    static let name = "id"
    static let abstract = "Create, list, show and remove identities; ask the directory."
    static var verbs: [any ParsableCommand.Type] {
        [IDCreate.self, IDList.self, IDShow.self, IDRemove.self, IDFetch.self, IDLink.self, IDRevoke.self]
    }

    @OptionGroup var globals: GlobalOptions
}

struct BackupCommand: Noun {
    static let name = "backup"
    static let abstract = "Export an identity as a code, shares or a kit, and restore it."
    static var verbs: [any ParsableCommand.Type] {
        [
            BackupExport.self, BackupImport.self, BackupCheck.self, BackupSplit.self, BackupJoin.self,
            BackupKit.self,
        ]
    }

    @OptionGroup var globals: GlobalOptions
}

struct SafeCommand: Noun {
    static let name = "safe"
    static let abstract = "Store an encrypted backup of an identity on a Safe server."
    static var verbs: [any ParsableCommand.Type] {
        [
            SafeSetup.self, SafePush.self, SafePull.self, SafeStatus.self, SafeCheck.self, SafePasswd.self,
            SafeMirror.self, SafeHistory.self, SafeScheduleCommand.self, SafeMove.self, SafeServerCommand.self,
            SafeCard.self, SafeDelete.self,
        ]
    }

    @OptionGroup var globals: GlobalOptions
}

struct ProfileCommand: Noun {
    static let name = "profile"
    static let abstract = "Show, edit, export and compare what a Safe has beside the key."
    static var verbs: [any ParsableCommand.Type] {
        [ProfileShow.self, ProfileSet.self, ProfileExport.self, ProfileImport.self, ProfileDiff.self]
    }

    @OptionGroup var globals: GlobalOptions
}

struct ContactCommand: Noun {
    static let name = "contact"
    static let abstract = "List, add, verify, check, remove and find contacts."
    static var verbs: [any ParsableCommand.Type] {
        [
            ContactList.self, ContactAdd.self, ContactVerify.self, ContactCheck.self, ContactRemove.self,
            ContactMatch.self,
        ]
    }

    @OptionGroup var globals: GlobalOptions
}

struct KeyCommand: Noun {
    static let name = "key"
    static let abstract = "Protect the keystore with a passphrase, and import key files."
    static var verbs: [any ParsableCommand.Type] {
        [
            KeyStatus.self, KeyProtect.self, KeyPasswd.self, KeyUnprotect.self, KeyImport.self, KeyUnlock.self,
            KeyLock.self,
        ]
    }

    @OptionGroup var globals: GlobalOptions
}

struct ArchiveCommand: Noun {
    static let name = "archive"
    static let abstract = "Write all identities to one encrypted file, and import them again."
    static var verbs: [any ParsableCommand.Type] {
        [ArchiveExport.self, ArchiveImport.self, ArchiveCheck.self, ArchiveList.self]
    }

    @OptionGroup var globals: GlobalOptions
}

struct QRCommand: Noun {
    static let name = "qr"
    static let abstract = "Draw QR codes in the terminal or as a picture."
    static var verbs: [any ParsableCommand.Type] { [QRShow.self, QRContact.self] }

    @OptionGroup var globals: GlobalOptions
}

struct RevokeCommand: Noun {
    static let name = "revoke"
    static let abstract = "Prepare the revocation of an identity."
    static var verbs: [any ParsableCommand.Type] { [RevokeHash.self, RevokeSet.self, RevokeCheck.self] }

    @OptionGroup var globals: GlobalOptions
}
