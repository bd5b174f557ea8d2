import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import MessengerKeeping
import Ratchet
import SecureMemory
import TextSecure

extension TextSecureMessenger: AccountMessenger {
    typealias Root = Keytool

    static let nounWords = NounWords(
        abstract: "Create, keep and export the accounts of TextSecure.",
        commonNames: [
            ("add create generate make new register", "textsecure init"), ("ls", "textsecure list"),
            ("cat get info print view", "textsecure show"),
            ("compare safety", "textsecure fingerprint"), ("keys status", "textsecure prekeys"),
            ("refill", "textsecure refill-prekeys"), ("load read restore", "textsecure import"),
            ("check test", "textsecure verify"), ("backup save write", "textsecure export"),
            ("delete remove rm", "id remove"),
            ("client", "textsecure import-client"),
        ],
        inLaboratory: [
            "request", "open-push", "seal-push", "seal-attachment", "open-attachment", "hash-numbers", "match-tokens",
        ])

    static var verbs: [any ParsableCommand.Type] {
        [
            TextSecureInit.self, AccountList<Self>.self, AccountShow<Self>.self, TextSecureFingerprint.self,
            TextSecurePrekeys.self, TextSecureRefillPrekeys.self, AccountExport<Self>.self,
            AccountImport<Self>.self, AccountVerify<Self>.self, TextSecureImportClient.self,
        ]
    }

    static let help = AccountHelp(
        show: (
            "Show a TextSecure account: server, registration ID, fingerprint and prekeys.",
            "The private identity key is shown only with --reveal-private-key."
        ),
        imported: (
            "Import a TextSecure account from an age file.",
            """
            The file is one that keytool textsecure export has written. An account that is held is never replaced, not \
            even by another state of itself: prekeys that have been used must not come back.
            """
        ),
        exported: (
            "Export a TextSecure account as an age file.",
            """
            The file contains the account with all of its keys, without sessions. The program age opens it, too. \
            keytool textsecure import reads it again.
            """
        ),
        verified: (
            "Check that a file of TextSecure opens. Stores nothing.",
            """
            The file is an age file with an account or a master secret; a client's own file, as for import-client; or, \
            with --attachment-key-file, an attachment. A push payload is opened by keytool-lab textsecure open-push, \
            which stores nothing, either.
            """
        ))

    static func summary(of id: AccountNumber, in keeper: TextSecureKeeper) throws -> MessengerSummary {
        let account = try keeper.account(id, at: WallClock.now())
        // The members begin with the ID, which is told for every messenger.
        return MessengerSummary(
            line: account.facts, lines: account.lines, members: Array(account.members.dropFirst()))
    }

    static func show(
        _ id: AccountNumber, _ options: TextSecureShowOptions, in keeper: TextSecureKeeper, _ output: Output
    ) throws {
        guard options.revealPrivateKey else { return try showSummary(of: id, in: keeper, output) }
        let account = try keeper.account(id, at: WallClock.now())
        let marks = SecretMarks()
        try output.reveal(
            account.lines + ["private key   \(marks[0])"],
            json: result("show", account.members + [("private_key", .string(marks[0]))]), marks, secrets: 1
        ) { _, text in
            account.identity.held.bytes.withBytes { Base64.encode($0, appendingTo: &text) }
        }
    }

    static func imported(
        _ file: String, _ options: NoOptions, _ opening: AccountFileOptions, _ session: Session,
        to open: @escaping () throws -> OpenKeystore
    ) throws -> ImportedAccount {
        let account = try opening.openTextSecure(file, session)
        let isNew = try store(account, TextSecureKeeper(try open()))
        let number = account.number
        return ImportedAccount(
            isNew: isNew,
            lines: [isNew ? "imported \(file)" : "already in the keystore, as a whole: \(file)"] + account.lines,
            members: [("stored", .bool(isNew)), ("result", .string(isNew ? "imported" : "held"))] + account.members
        ) { output in
            guard isNew else { return }
            output.hint(
                "if the server may have other prekeys: keytool-lab textsecure request upload-keys \(number) -o FILE")
        }
    }

    /// - Returns: whether it was stored; false if the keystore has it.
    private static func store(_ account: borrowing TextSecureAccount, _ keeper: TextSecureKeeper) throws -> Bool {
        do {
            try keeper.add(account)
            return true
        } catch KeystoreError.exists {
            // If it has been removed since, the next attempt stores it.
            guard try keeper.holds(account, at: WallClock.now()) else {
                throw KeystoreError.exists(.textSecure(account.number))
            }
            return false
        }
    }

    static func exported(
        _ id: AccountNumber, _ options: NoOptions, in keeper: TextSecureKeeper, by sealer: AccountSealer
    ) throws -> ExportedAccount {
        let account = try keeper.account(id, at: WallClock.now())
        return ExportedAccount(
            sealed: try sealer.age(account.encoded()), words: "the account \(id)", members: account.members)
    }

    static let takenBack: String? =
        "prekeys that were used since then are back, and later ones are gone; the server still has those"

    static var archived: ArchivedMessenger {
        ArchivedMessenger(name) { records throws(RecordProblem) in
            Hex.encode(try TextSecureKeeper.check(records).bytes)
        }
    }

    static let readme = """
        A TEXTSECURE ACCOUNT, textsecure/NUMBER
          account         JSON: the identity key, the signaling key and the prekeys,
                          each key in Base64; the password at the server
        """
}

struct TextSecureShowOptions: ParsableArguments {
    @Flag(help: "Also print the private identity key, in Base64.")
    var revealPrivateKey = false
}
