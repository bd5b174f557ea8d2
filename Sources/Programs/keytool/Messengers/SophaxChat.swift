import ArgumentParser
import CommandLine
import Console
import Keystore
import MessengerKeeping
import SophaxChat

extension SophaxChatMessenger: AccountMessenger {
    typealias Root = Keytool

    static let nounWords = NounWords(
        abstract: "Make, back up and restore identities of SophaxChat.",
        discussion: """
            An identity is two private keys. Its name, the peerID, is 32 characters of a digest of the public ones. \
            keytool makes no sessions and keeps no messages; the program keytool-lab shows those that other programs have \
            stored.
            """,
        commonNames: [
            ("add create generate make new", "sophaxchat init"), ("load read restore", "sophaxchat import"),
            ("backup save write", "sophaxchat export"), ("ls", "sophaxchat list"),
            ("cat get info print view", "sophaxchat show"), ("check test", "sophaxchat verify"),
            ("share shares", "sophaxchat split"), ("combine merge", "sophaxchat join"),
            ("prekeys status", "sophaxchat show-prekeys"), ("refill", "sophaxchat refill-prekeys"),
            ("rotate", "sophaxchat rotate-prekeys"), ("bundle", "sophaxchat export-bundle"),
            ("fingerprint number", "sophaxchat safety"), ("open", "sophaxchat open-backup"),
            ("delete remove rm", "id remove"),
        ],
        inLaboratory: [
            "list-sessions", "show-session", "show-group", "rekey-group", "set-pin", "set-duress-pin", "check-pin",
        ])

    static var verbs: [any ParsableCommand.Type] {
        [
            SophaxInit.self, AccountImport<Self>.self, AccountExport<Self>.self, AccountList<Self>.self,
            AccountShow<Self>.self, AccountVerify<Self>.self, SophaxSplit.self, SophaxJoin.self, SophaxShowPrekeys.self,
            SophaxRefillPrekeys.self, SophaxRotatePrekeys.self, SophaxExportBundle.self, SophaxSafety.self,
            SophaxVerifyPeer.self, SophaxOpenBackup.self,
        ]
    }

    static let help = AccountHelp(
        show: ("Show a SophaxChat identity: peerID, safety number, public keys.", ""),
        imported: (
            "Import a SophaxChat identity from an identity backup or an age file.",
            """
            An identity backup of the app (SXID) has the keys and the user's name; an age file of keytool also has \
            verified peers and prekeys. What an identity lacks is added; nothing that is held is replaced. If \
            the keystore holds another identity, --another stores this one beside it. Sessions are not restored: peers \
            begin new ones.
            """
        ),
        exported: (
            "Export a SophaxChat identity as an age file, or for the app.",
            """
            The age file has the keys, the user's name, the verified peers and the prekeys; the program age opens it, \
            too. --sxid writes the app's identity backup, which has keys and name only, under a passphrase of at least \
            16 characters. keytool sophaxchat import reads both.
            """
        ),
        verified: (
            "Open an identity, a share or a bundle in a file. Stores nothing.",
            """
            An identity backup (SXID) or age file is opened with its passphrase. A share is read; it has no check of \
            its own. The signatures of a bundle are checked, and not its age.
            """
        ))

    static func summary(of id: PeerID, in keeper: SophaxKeeper) throws -> MessengerSummary {
        let summary = try keeper.summary(id)
        // The members begin with the ID, which is told for every messenger.
        return MessengerSummary(
            line: summary.facts, lines: summary.lines, members: Array(summary.members.dropFirst()),
            warning: summary.prekeys?.clockWarning(at: WallClock.now()))
    }

    static let takenBack: String? =
        "later prekeys are gone, and contacts that were compared since then are not any more"

    static var archived: ArchivedMessenger {
        ArchivedMessenger(
            name, transient: SophaxKeeper.transientRecords, dispensable: SophaxKeeper.dispensableRecords
        ) { records throws(RecordProblem) in
            // The ID is a digest of the keys, so there is no public key to compare.
            try SophaxKeeper.check(records)
            return nil
        }
    }

    static let readme = """
        A SOPHAXCHAT IDENTITY, sophaxchat/ID
          identity        JSON: the private keys "signing" (Ed25519 seed) and "dh"
                          (X25519), 32 bytes each in Base64; the user's name
          prekeys         binary: the private prekeys
          pin             the salted hashes of the PINs
        """
}
