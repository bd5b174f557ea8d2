import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import MessengerKeeping
import ProtonMainKey

/// Proton's MainKeys, which are named by their check values. Their files hold no accounts, so all verbs are their own.
enum MainKeyMessenger: KeptMessenger {
    typealias Root = Keytool

    static let name = Owner.mainKey

    static let words = MessengerWords(
        title: "MainKey", titles: "MainKeys", subject: "The MainKey", placeholder: "check-value",
        beginning: "keytool mainkey init, or keytool mainkey import FILE", absence: "no_mainkey",
        listing: ("status", "identities"),
        forms: [
            "check-value": "a check value has 16 characters, 0-9 and a-f; keytool mainkey status shows it",
            "minutes": "never, always, or 1 to 1440",
            "protection": "pin, key or none",
        ])

    static let nounWords = NounWords(
        abstract: "Protect, unlock, import and export MainKeys of Proton's apps.",
        discussion: """
            A MainKey is 32 random bytes that encrypt the local data of one login. Its name in the keystore is its \
            check value, 16 characters that tell nothing about the key.
            """,
        commonNames: [
            ("add create generate make new", "mainkey init"), ("info list ls show", "mainkey status"),
            ("encrypt", "mainkey protect"), ("unprotect", "mainkey remove"),
            ("change password pin", "mainkey passwd"), ("autolock", "mainkey timeout"),
            ("load read restore", "mainkey import"), ("backup save write", "mainkey export"),
            ("check test", "mainkey verify"), ("delete destroy rm", "mainkey wipe"),
        ])

    static var verbs: [any ParsableCommand.Type] {
        [
            MainKeyInit.self, MainKeyStatus.self, MainKeyProtect.self, MainKeyRemove.self, MainKeyPasswd.self,
            MainKeyUnlock.self, MainKeyLock.self, MainKeyTimeout.self, MainKeyImport.self, MainKeyExport.self,
            MainKeyOpenValue.self, MainKeySealValue.self, MainKeyRewrapValue.self, MainKeyVerify.self, MainKeyWipe.self,
        ]
    }

    static func owner(_ id: CheckValue) -> Owner { .mainKey(id) }

    static func id(of owner: Owner) -> CheckValue? { owner.mainKey }

    static func keeper(of keystore: OpenKeystore, _ session: Session) -> MainKeyKeeper {
        session.mainKeys(of: keystore)
    }

    static func summary(of id: CheckValue, in keeper: MainKeyKeeper) throws -> MessengerSummary {
        let summary = try keeper.summary(id)
        let until = try keeper.unlockedUntil(id)
        return MessengerSummary(
            line: "protection \(summary.kinds.words)" + (until == nil ? "" : ", unlocked"),
            lines: summary.lines(unlockedUntil: until), members: summary.members(unlockedUntil: until))
    }

    static func remove(
        _ id: CheckValue, in keeper: MainKeyKeeper, _ keystore: OpenKeystore, _ session: Session
    ) throws {
        if try !keeper.wipe(id) { session.warnOfUnseenKeyring() }
    }

    static let takenBack: String? =
        "it opens with the PIN and the keys of that time"

    static var archived: ArchivedMessenger {
        ArchivedMessenger(name, dispensable: MainKeyKeeper.dispensableRecords) { records throws(RecordProblem) in
            try MainKeyKeeper.check(records)
            return nil
        }
    }

    static let readme = """
        A MAINKEY OF PROTON'S APPS, mainkey/ID
          protections     Byte 1 is the version. Behind it stand one or more parts: the
                          kind (1 byte), the length (4 bytes) and the content. Kind 0 is
                          the key itself, 32 bytes; kind 1 an age file that opens with
                          the PIN; kind 2 an age file for the recipients in kind 3. If
                          there is one part only, that of kind 1 opens with:
                            tail -c +7 mainkey/ID/protections | age -d
          autolock        after how many minutes it is locked
        """
}
