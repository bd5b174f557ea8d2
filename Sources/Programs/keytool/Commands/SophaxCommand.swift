import ArgumentParser
import Console
import Encodings
import Keystore
import MessengerKeeping
import SophaxChat

struct SophaxChatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sophaxchat", abstract: "Make, back up and restore identities of SophaxChat.",
        discussion: """
            An identity is two private keys. Its name, the peerID, is 32 characters of a digest of the public ones. \
            keytool makes no sessions and keeps no messages; it shows the sessions and groups that other programs have \
            stored, and replaces the own chain of a group.
            """,
        subcommands: [
            SophaxInit.self, SophaxImport.self, SophaxExport.self, SophaxList.self, SophaxShow.self,
            SophaxVerify.self, SophaxSplit.self, SophaxJoin.self, SophaxShowPrekeys.self, SophaxRefillPrekeys.self,
            SophaxRotatePrekeys.self, SophaxExportBundle.self, SophaxSafety.self, SophaxVerifyPeer.self,
            SophaxListSessions.self, SophaxShowSession.self, SophaxShowGroup.self, SophaxRekeyGroup.self,
            SophaxSetPIN.self, SophaxSetDuressPIN.self, SophaxCheckPIN.self, SophaxOpenBackup.self,
        ])

    @ParentCommand var root: Keytool
    @OptionGroup var globals: GlobalOptions
}

/// The identity that a command is about.
struct SophaxArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The identity. Optional if the keystore holds only one.", valueName: "peer-id"))
    var id: PeerID?
}

/// The same for a command with other operands.
struct SophaxOption: ParsableArguments {
    @Option(help: ArgumentHelp("The identity. Optional if the keystore holds only one.", valueName: "peer-id"))
    var id: PeerID?
}

/// Why the keystore has no such identity.
enum SophaxIdentityError: Error {
    /// The keystore holds no identity of SophaxChat.
    case noIdentities
}

extension Session {
    /// The identities of SophaxChat in the keystore.
    /// - Throws: `SophaxIdentityError.noIdentities` if there is no keystore.
    func sophaxChat(_ passphrase: SecretOptions<KeystorePassphrase>) throws -> SophaxKeeper {
        do {
            return SophaxKeeper(try keystore(passphrase))
        } catch KeystoreError.absent {
            throw SophaxIdentityError.noIdentities
        }
    }

    /// The identity that was named, by 32 or 16 digits, or the only one there is.
    /// - Throws: `SophaxKeepingError.noIdentity`; `SophaxIdentityError`; `UsageFailure` if there are several.
    func sophaxChat(_ named: PeerID?, in keeper: SophaxKeeper) throws -> PeerID {
        let ids = try keeper.ids()
        guard let named else {
            return try ids.onlyOne(
                "SophaxChat identities", named: \.description, orAbsent: SophaxIdentityError.noIdentities)
        }
        guard let id = ids.first(where: { $0.description.hasPrefix(named.description) }) else {
            throw SophaxKeepingError.noIdentity(named)
        }
        return id
    }
}

extension JSONValue {
    /// A result of a verb of the noun `sophaxchat`.
    static func sophaxChat(_ verb: String, _ members: [(String, JSONValue?)]) -> JSONValue {
        .result("sophaxchat \(verb)", [("messenger", .string(Owner.sophaxChat))] + members)
    }
}
