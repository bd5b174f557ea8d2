import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import MessengerKeeping
import SecureMemory
import SophaxChat
import SophaxStorage

// What `keytool sophaxchat import`, `export` and `verify` do.

struct SophaxImportOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Refuse any other identity, with exit code 19.", valueName: "peer-id"))
    var expectID: PeerID?

    @Flag(help: "Store it beside another identity of the keystore.")
    var another = false
}

struct SophaxExportOptions: ParsableArguments {
    @Flag(help: "Write the app's identity backup (SXID), under a passphrase of at least 16 characters.")
    var sxid = false

    @Flag(help: "Leave the prekeys out.")
    var withoutPrekeys = false
}

extension SophaxChatMessenger {
    static func imported(
        _ file: String, _ options: SophaxImportOptions, _ opening: AccountFileOptions, _ session: Session,
        to open: @escaping () throws -> OpenKeystore
    ) throws -> ImportedAccount {
        let content = try AccountFileOptions.read(file, limit: SophaxFile.maxCount)
        let opened = try content.withBytes { try opening.openSophaxChat(file, $0, session) }
        let known = opened.account.identity.publicIdentity
        try known.require(options.expectID)
        let keeper = SophaxKeeper(try open())
        let result = try keeper.store(opened.account, isOnly: !options.another, at: WallClock.now())
        // What is held may be more than the file has, and have another name. The lock of the PIN does not matter.
        let facts = try SophaxFile(form: opened.form, account: keeper.wholeAccount(known.peerID)).facts
        let hasPrekeys = facts.prekeys != nil
        let otherName =
            opened.account.hasDefaultUsername || opened.account.username == facts.username
            ? nil : opened.account.username
        return ImportedAccount(
            isNew: result == .new,
            lines: [result.words(file) { "already in the keystore; added \($0.words): \(file)" }] + facts.lines,
            members: facts.members + [
                ("file_username", otherName.map { .string($0) }), ("stored", .bool(result != .held)),
                ("result", .string(result.name)), ("prekeys", .bool(hasPrekeys)),
            ] + result.members
        ) { output in
            if let otherName {
                output.warn(
                    "the user of the file is \(otherName.printable); the identity stays under its name, "
                        + "\(facts.username.printable)")
            }
            guard !hasPrekeys else { return }
            output.hint(
                "the identity has no prekeys: import the age file first, if you have one; "
                    + "then keytool sophaxchat refill-prekeys \(known.peerID)")
        }
    }

    static func check(_ options: SophaxExportOptions, with protection: NewAgeFileOptions<FilePassphrase>) throws {
        guard !options.sxid || protection.recipients.texts.isEmpty else {
            throw ValidationError("--sxid writes a file under a passphrase: it takes no recipient")
        }
    }

    static func exported(
        _ id: PeerID, _ options: SophaxExportOptions, in keeper: SophaxKeeper, by sealer: AccountSealer
    ) throws -> ExportedAccount {
        let account = try options.withoutPrekeys || options.sxid ? keeper.account(id) : keeper.wholeAccount(id)
        let (known, username) = (account.identity.publicIdentity, account.username)
        let file = try options.sxid ? backup(account, sealer) : sealer.age(account.encoded())
        return ExportedAccount(
            sealed: file, words: known.peerID.description,
            members: [("form", options.sxid ? "sxid" : "age")] + known.members + [("username", .string(username))])
    }

    private static func backup(_ account: consuming SophaxAccount, _ sealer: AccountSealer) throws -> [UInt8] {
        let (id, username) = (account.peerID, account.username)
        let secret = try sealer.passphrase(minimum: IdentityBackup.minPassphrase)
        let backup = IdentityBackup(
            identity: account.intoIdentity(), username: username, exported: AppTime(WallClock.now()))
        return try sealer.session.output.busy("deriving the key of the file") {
            let file = try backup.sealed(passphrase: secret)
            // It is opened again before anybody relies on it.
            guard try IdentityBackup(opening: file, passphrase: secret).identity.peerID == id else {
                throw BackupError.wrongIdentity
            }
            return file
        }
    }

    static func verified(_ file: String, _ options: AccountFileOptions, _ session: Session) throws -> VerifiedFile {
        let content = try AccountFileOptions.read(file, limit: SophaxFile.maxCount)
        return try content.withBytes { content in
            guard content.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else {
                let opened = try options.openSophaxChat(file, content, session)
                return VerifiedFile(lines: ["\(file) opens"] + opened.facts.lines, members: opened.facts.members)
            }
            guard options.identities.paths.isEmpty, !options.passphrase.isGiven else {
                throw SophaxFileError.identityNotUsed
            }
            return try verifiedPlain(content, file)
        }
    }

    /// A share or a bundle.
    private static func verifiedPlain(_ content: Span<UInt8>, _ file: String) throws -> VerifiedFile {
        if let share = try? IdentityShare(parsing: content) {
            return VerifiedFile(
                lines: ["\(file) is a share"] + share.lines, members: [("form", "share")] + share.members)
        }
        guard let bundle = try? PrekeyBundle(parsing: content.revealBytes()) else {
            throw SophaxFileError.unknown(path: file)
        }
        let checked = try bundle.checkedSignatures()
        return VerifiedFile(
            lines: ["\(file) is a bundle"] + bundle.identity.lines + checked.lines,
            members: [("form", "bundle")] + bundle.identity.members + checked.members)
    }
}

extension Span<UInt8> {
    fileprivate func first(where isWanted: (UInt8) -> Bool) -> UInt8? {
        for index in indices where isWanted(self[index]) { return self[index] }
        return nil
    }
}

extension Stored<SophaxKeeper.Added> {
    /// For programs: what was added to an identity that is held.
    fileprivate var members: [(String, JSONValue?)] {
        let added: SophaxKeeper.Added
        switch self {
        case .new: return []
        case .held: added = SophaxKeeper.Added(peers: 0, prekeys: .none)
        case .extended(let some): added = some
        }
        return [
            ("added_peers", .number(added.peers)), ("added_signed_prekeys", .number(added.prekeys.signed)),
            ("added_one_time_prekeys", .number(added.prekeys.oneTime)),
            ("added_first_messages", .number(added.prekeys.seen)),
        ]
    }
}

extension SophaxKeeper.Added {
    /// For people: `the user's name, 1 verified peer, 2 signed prekeys, 20 one-time prekeys`.
    fileprivate var words: String {
        let counted = [
            (peers, "verified peer"), (prekeys.signed, "signed prekey"), (prekeys.oneTime, "one-time prekey"),
            (prekeys.seen, "key of a first message"),
        ].filter { $0.0 > 0 }.map { Counted.text($0.0, $0.1) }
        return ((isNamed ? ["the user's name"] : []) + counted).joined(separator: ", ")
    }
}

extension PublicIdentity {
    /// - Throws: `SophaxUnexpected` if this is not the identity that was expected.
    func require(_ expected: PeerID?) throws {
        guard let expected, !has(expected) else { return }
        throw SophaxUnexpected(found: peerID, expected: expected)
    }
}

/// A file has another identity than was expected. Nothing was stored.
struct SophaxUnexpected: Error {
    let found, expected: PeerID
}
