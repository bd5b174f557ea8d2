import Age
import CommandLine
import Console
import Encodings
import SecureMemory
import SophaxChat
import SophaxStorage

extension AccountFileOptions {
    /// Reads an identity backup of the app (SXID), or an age file; asks for its passphrase if it needs one.
    /// - Parameters:
    ///   - path: of the file, for questions.
    ///   - content: of the file.
    /// - Throws: `BackupError`, `AgeError`; what `SecretAsker.open` throws.
    func openSophaxChat(_ path: String, _ content: Span<UInt8>, _ session: Session) throws -> SophaxFile {
        guard AgeFile.isLikely(content) else { return try openBackup(content, path, session) }
        let opened = try openAge(content, named: path, limit: SophaxAccount.maxTextCount, session)
        let account = try opened.plain.withBytes { (text) throws(BackupError) in try SophaxAccount(decoding: text) }
        return SophaxFile(form: .age(workFactor: opened.workFactor), account: account)
    }

    private func openBackup(_ content: Span<UInt8>, _ path: String, _ session: Session) throws -> SophaxFile {
        // Before the size, so that a large file of something else is called by its name.
        let file = content.extracting(first: min(content.count, IdentityBackup.maxCount + 1)).revealBytes()
        if Self.isShare(content) { throw SophaxFileError.isShare(path: path) }
        try IdentityBackup.check(file)
        guard identities.paths.isEmpty else { throw SophaxFileError.identityNotUsed }
        return try SecretAsker(passphrase, session.dialog).open(
            .named(path), isWrong: { $0 as? BackupError == .wrongKeyOrDamaged }
        ) { passphrase in
            let backup = try session.output.busy("deriving the key of the file") {
                try IdentityBackup(opening: file, passphrase: passphrase)
            }
            let username = backup.username
            let identity = backup.intoIdentity()
            // The app has accepted other names: they are no reason to refuse the keys.
            let name =
                SophaxAccount.isUsername(username) ? username : SophaxAccount.defaultUsername(identity.peerID)
            return SophaxFile(form: .sxid, account: try SophaxAccount(identity: identity, username: name))
        }
    }

    private static func isShare(_ content: Span<UInt8>) -> Bool {
        do throws(BackupError) {
            _ = try IdentityShare(parsing: content)
            return true
        } catch {
            return false
        }
    }
}

/// A file that was read: its form, and the identity in it.
struct SophaxFile: ~Copyable {
    /// How the file is written.
    enum Form: Equatable {
        /// An identity backup of the app.
        case sxid
        /// The work factor is nil for a file for recipients.
        case age(workFactor: Int?)

        var words: String {
            switch self {
            case .sxid: "SXID 2, passphrase (PBKDF2)"
            case .age(let workFactor?): "age, passphrase (scrypt, work factor \(workFactor))"
            case .age(nil): "age, recipients"
            }
        }

        var name: String { self == .sxid ? "sxid" : "age" }
    }

    /// Longest file that is read, in bytes: the longest text in an armored age file.
    static let maxCount = 2 << 20

    let form: Form
    let account: SophaxAccount

    var facts: SophaxFacts {
        SophaxFacts(
            identity: account.identity.publicIdentity, username: account.username,
            verifiedCount: account.verified.count, prekeys: account.prekeyCounts, form: form)
    }
}

/// What is told of an identity after its file was opened: what the file has, or what the keystore has since.
struct SophaxFacts {
    let identity: PublicIdentity
    let username: String
    let verifiedCount: Int
    /// Nil without prekeys.
    let prekeys: (signed: Int, oneTime: Int)?
    let form: SophaxFile.Form

    var lines: [String] {
        identity.lines + [
            "user           \(username.printable)", "verified       \(Counted.text(verifiedCount, "peer"))",
            "prekeys        \(prekeys.map { "\($0.signed) signed, \($0.oneTime) one-time" } ?? "none")",
            "form           \(form.words)",
        ]
    }

    var members: [(String, JSONValue?)] {
        identity.members + [
            ("username", .string(username)), ("verified_peers", .number(verifiedCount)),
            ("signed_prekeys", prekeys.map { .number($0.signed) }),
            ("one_time_prekeys", prekeys.map { .number($0.oneTime) }), ("form", .string(form.name)),
        ]
    }
}

extension SophaxAccount {
    /// Nil without prekeys.
    fileprivate var prekeyCounts: (signed: Int, oneTime: Int)? {
        switch prekeys {
        case .some(let prekeys): (prekeys.signedFacts.count, prekeys.oneTimeCount)
        case .none: nil
        }
    }
}

/// Why a file was not used, beside the errors of its form.
enum SophaxFileError: Error {
    /// `--identity` is for age files.
    case identityNotUsed
    /// It is none of the forms of a peer's public keys.
    case notPeer(path: String)
    /// It is neither an identity nor a share nor a bundle.
    case unknown(path: String)
    /// It is a share, which `join` reads.
    case isShare(path: String)
    /// A share would replace this file.
    case shareExists(path: String)
    /// Its first bytes are not those of a message backup.
    case notMessageBackup(path: String)
    /// It is not a share.
    case notShare(path: String)
}
