import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import MessengerKeeping
import ThreemaDirectory
import ThreemaKeeping
import ThreemaRecords

/// The provisioning files of companies. They are no identities, but the keystore, archives and `doctor` treat them so.
enum OnPremMessenger: KeptMessenger {
    typealias Root = Keytool

    static let name = Owner.onPrem
    static let holdsIdentities = false

    static let words = MessengerWords(
        title: "provisioning file", titles: "provisioning files", subject: "The provisioning file",
        placeholder: "company", beginning: "keytool onprem import FILE --key BASE64", absence: "no_onprem",
        listing: ("show", "results"),
        forms: ["company": "a name has 1 to 64 characters, a-z, 0-9, hyphens and dots: keytool onprem show"])

    static let nounWords = NounWords(
        abstract: "Use the servers of a company, from its provisioning file.",
        commonNames: [
            ("add load read update", "onprem import"), ("cat get info list ls print view", "onprem show"),
            ("delete remove rm", "onprem forget"),
        ])

    static var verbs: [any ParsableCommand.Type] { [OnPremImport.self, OnPremShow.self, OnPremForget.self] }

    static func owner(_ id: OnPremName) -> Owner { .onPrem(id) }

    static func id(of owner: Owner) -> OnPremName? { owner.onPrem }

    static func keeper(of keystore: OpenKeystore, _ session: Session) -> ThreemaKeeper { session.keeper(keystore) }

    static func summary(of id: OnPremName, in keeper: ThreemaKeeper) throws -> MessengerSummary {
        let file = try keeper.onPrem.file(id)
        return MessengerSummary(line: file.file.servers.directory, lines: file.lines, members: file.members)
    }

    static func removal(of owner: Owner, _ id: OnPremName, in keeper: ThreemaKeeper) -> Removal {
        Removal(warnings: [], lost: "its licence password", members: owner.members + [("removed", true)])
    }

    static func remove(
        _ id: OnPremName, in keeper: ThreemaKeeper, _ keystore: OpenKeystore, _ session: Session
    ) throws { try keeper.forget(id) }

    static var archived: ArchivedMessenger {
        ArchivedMessenger(
            name, transient: OnPremKeeper.transientRecords, isSame: OnPremKeeper.isSame
        ) { records throws(RecordProblem) in
            try OnPremKeeper.check(records)
            return nil
        }
    }

    static let readme = """
        THE SERVERS OF A COMPANY, onprem/NAME
          file            its provisioning file: JSON, and the signature in the last
                          line
          trust           byte 1 is the version; the key that signs the file (32 bytes,
                          Ed25519) and digests of the files before it follow
          source          JSON: where the file is fetched, and the user of the licence
          password        the password of the licence: text
        """
}
