import Age
import ArgumentParser
import Console
import Encodings
import SecureMemory
import SophaxChat
import SophaxStorage

struct SophaxVerify: Verb {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Open an identity, a share or a bundle in a file. Stores nothing.",
        discussion: """
            An identity backup (SXID) or age file is opened with its passphrase. A share is read; it has no check of \
            its own. The signatures of a bundle are checked, and not its age.
            """)

    @ParentCommand var noun: SophaxChatCommand
    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The file, or - for stdin.", completion: .file())
    var file: String

    @OptionGroup var opening: SophaxFileOptions

    func run(_ session: Session) throws {
        let content = try SophaxFileOptions.read(file)
        try content.withBytes { content in
            guard content.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else {
                let opened = try opening.open(file, content, session)
                return try session.output.done(
                    ["\(file) opens"] + opened.lines,
                    json: .sophaxChat("verify", [("file", .string(file))] + opened.members))
            }
            guard opening.identities.paths.isEmpty, !opening.passphrase.isGiven else {
                throw SophaxFileError.identityNotUsed
            }
            try verifyPlain(content, session)
        }
    }

    /// A share or a bundle.
    private func verifyPlain(_ content: Span<UInt8>, _ session: Session) throws {
        if let share = try? IdentityShare(parsing: content) {
            return try session.output.done(
                ["\(file) is a share"] + share.lines,
                json: .sophaxChat("verify", [("file", .string(file)), ("form", "share")] + share.members))
        }
        guard let bundle = try? PrekeyBundle(parsing: content.revealBytes()) else {
            throw SophaxFileError.unknown(path: file)
        }
        let checked = try bundle.checkedSignatures()
        try session.output.done(
            ["\(file) is a bundle"] + bundle.identity.lines + checked.lines,
            json: .sophaxChat(
                "verify",
                [("file", .string(file)), ("form", "bundle")] + bundle.identity.members + checked.members))
    }
}

extension Span<UInt8> {
    fileprivate func first(where isWanted: (UInt8) -> Bool) -> UInt8? {
        for index in indices where isWanted(self[index]) { return self[index] }
        return nil
    }
}

extension PrekeyBundle {
    /// Checks the signatures at the time that the bundle names.
    /// - Throws: `BundleError.badSignature`.
    func checkedSignatures() throws(BundleError) -> CheckedBundle {
        try check(asked: nil, known: nil, pinned: nil, at: timestamp.timestamp)
    }
}

extension CheckedBundle {
    /// For people.
    var lines: [String] {
        [
            "user           \(bundle.username.printable)", "made           \(bundle.timestamp.timestamp.rfc3339)",
            "signed prekey  \(bundle.signedPrekeyID)", "one-time       \(oneTimeWords)",
            "signed         \(form.words)",
        ]
    }

    private var oneTimeWords: String {
        switch bundle.oneTime {
        case nil: "none"
        case let key? where key.id == 0: "the last-resort key"
        case let key?: "prekey \(key.id)"
        }
    }

    /// For programs.
    var members: [(String, JSONValue?)] {
        [
            ("username", .string(bundle.username)), ("made", .string(bundle.timestamp.timestamp.rfc3339)),
            ("signed_prekey_id", .number(bundle.signedPrekeyID)),
            ("one_time_prekey_id", bundle.oneTime.map { .number($0.id) }), ("signed", .string(form.name)),
        ]
    }
}

extension SignatureForm {
    /// For people.
    var words: String {
        switch self {
        case .keyOnly: "the signed prekey only; anybody may have changed the rest"
        case .keyAndTime: "the signed prekey and the time"
        case .identityKeyAndTime: "identity key, signed prekey and time"
        case .whole: "all of it"
        }
    }

    /// For programs.
    var name: String {
        switch self {
        case .keyOnly: "key"
        case .keyAndTime: "key_time"
        case .identityKeyAndTime: "identity_key_time"
        case .whole: "whole"
        }
    }
}
