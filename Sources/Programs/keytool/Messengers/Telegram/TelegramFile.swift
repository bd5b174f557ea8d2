import Age
import ArgumentParser
import CommandLine
import Console
import Glibc
import SecureMemory
import Telegram
import TelegramSessions

extension AccountFileOptions {
    /// Reads a file of any form of Telegram; asks for its passphrase if it needs one.
    /// - Parameter path: `-` for stdin.
    /// - Throws: `InputError`; `LegacyKeyFileError`, `AgeError`, `TelegramAccountError`, `TelegramFileError`; what
    ///   `SecretAsker.open` throws.
    func openTelegram(_ path: String, _ session: Session) throws -> TelegramFile {
        let opened: TelegramFile
        if path == "-", isatty(STDIN_FILENO) != 0, session.dialog.canAsk {
            opened = try openTypedSession(session)
        } else if let file = TelegramSessionFile(path) {
            opened = TelegramFile(try file.open())
        } else {
            let content = try Self.read(path, limit: TelegramFile.maxCount)
            opened = try content.withBytes { content in
                if AgeFile.isLikely(content) { return try openTelegramAge(content, path, session) }
                guard let read = try TelegramSessionFile.session(in: content) else {
                    return try openLegacy(content, path, session)
                }
                return TelegramFile(read)
            }
        }
        if case .session = opened.form, !identities.paths.isEmpty { throw TelegramFileError.identityNotUsed }
        // Somebody may have replaced the file.
        guard opened.isProtected || !passphrase.isGiven else { throw TelegramFileError.notProtected(path: path) }
        return opened
    }

    /// Asks for a session text, with echo off.
    private func openTypedSession(_ session: Session) throws -> TelegramFile {
        try SecretAsker(SecretOptions<TelegramSessionText>(), session.dialog).open(
            .only, isTyped: true, isWrong: { $0 is TelegramSessionError },
            wrong: "this is not a session text of Telethon or Pyrogram"
        ) { text in
            try text.withBytes { (text) throws(TelegramSessionError) in TelegramFile(try TelegramSession(text: text)) }
        }
    }

    private func openTelegramAge(
        _ content: Span<UInt8>, _ path: String, _ session: Session
    ) throws -> TelegramFile {
        let opened = try openAge(content, named: path, limit: TelegramAccount.maxTextCount, session)
        return TelegramFile(
            form: .age(workFactor: opened.workFactor), content: try TelegramFile.content(of: opened.plain))
    }

    private func openLegacy(_ content: Span<UInt8>, _ path: String, _ session: Session) throws -> TelegramFile {
        guard identities.paths.isEmpty else { throw TelegramFileError.identityNotUsed }
        let forms = try LegacyKeyFile.candidates(of: content)
        guard forms.contains(where: \.isProtected) else {
            let opened = try LegacyKeyFile.open(content)
            return TelegramFile(form: .legacy(opened.form), content: .key(opened.held))
        }
        // Read once more for each try: a span cannot be captured by the closure.
        let copy = SecureBytes(copying: content)
        let opened = try SecretAsker(passphrase, session.dialog).open(
            .named(path), isWrong: { $0 as? LegacyKeyFileError == .wrongPassword }
        ) { passphrase in
            try session.output.busy("opening the file") {
                try copy.withBytes { (file) throws(LegacyKeyFileError) in
                    try LegacyKeyFile.open(file, password: passphrase)
                }
            }
        }
        return TelegramFile(form: .legacy(opened.form), content: .key(opened.held))
    }
}

/// A file that was read: its form, and the key or account in it.
struct TelegramFile {
    /// How the file is written.
    enum Form: Equatable {
        case legacy(LegacyKeyFile.Form)
        case session(TelegramSession.Form)
        /// The work factor is nil for a file for recipients.
        case age(workFactor: Int?)
    }

    /// What it holds.
    enum Content {
        case key(HeldAuthorizationKey)
        case account(TelegramAccount)
    }

    /// Longest file that is read, in bytes: an armored account for a thousand recipients.
    static let maxCount = 512 * 1024
    /// Below it, guessing a passphrase costs too little.
    private static let weakWorkFactor = 14

    let form: Form
    let content: Content

    /// The keys in it. The data centre of a single key is not known.
    var keys: [(dataCentre: Int32?, held: HeldAuthorizationKey, isLost: Bool)] {
        switch content {
        case .key(let held): [(nil, held, false)]
        case .account(let account): account.keys.map { ($0.dataCentre, $0.held, $0.isLost) }
        }
    }

    /// Whether nobody can read it without a secret.
    var isProtected: Bool {
        switch form {
        case .legacy(let form): form.isProtected
        case .session: false
        case .age: true
        }
    }

    /// Whether `telegram passwd` makes it better.
    var isWeak: Bool {
        switch form {
        case .legacy, .session: true
        case .age(let workFactor): workFactor.map { $0 < Self.weakWorkFactor } ?? false
        }
    }

    /// What a new age file of it contains.
    var plain: SecureBytes {
        switch content {
        case .key(let held): LegacyKeyFile.hashed(held.key)
        case .account(let account): account.encoded()
        }
    }

    /// Reads the content of an age file: SHA-1 and key, or the text of an account.
    /// - Throws: `TelegramFileError.otherContent`; `LegacyKeyFileError.damaged`; `TelegramAccountError`.
    static func content(of plain: borrowing SecureBytes) throws -> Content {
        try plain.withBytes { plain in
            if plain.count == LegacyKeyFile.hashedCount { return .key(try LegacyKeyFile.open(plain).held) }
            guard plain.count > 0, plain[0] == UInt8(ascii: "{") else { throw TelegramFileError.otherContent }
            return .account(try TelegramAccount(decoding: plain))
        }
    }
}

extension TelegramFile {
    /// - Parameter session: of one of the libraries.
    init(_ session: TelegramSession) { self.init(form: .session(session.form), content: .account(session.account)) }
}

/// Why a file was not used, beside the errors of its form.
enum TelegramFileError: Error {
    /// It is an age file of something else.
    case otherContent
    /// `--identity` is for age files.
    case identityNotUsed
    /// The file is not protected, but a passphrase was given for it by an option.
    case notProtected(path: String)
}
