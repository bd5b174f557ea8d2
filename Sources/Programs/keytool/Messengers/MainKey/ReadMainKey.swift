import Age
import ArgumentParser
import CommandLine
import Console
import ProtonMainKey
import SecureMemory

/// What opens a file or directory that holds a MainKey.
struct MainKeyFileOpening: ParsableArguments {
    @OptionGroup(title: "Passphrase of an age file")
    var passphrase: SecretOptions<FilePassphrase>

    @OptionGroup(title: "Secret key for an age file")
    var identity: AgeIdentityOptions

    @OptionGroup(title: "PIN of the app's items")
    var pin: SecretOptions<MainKeyPIN>
}

/// A MainKey that was read from a file or a directory.
struct ReadMainKey: ~Copyable {
    /// How the key was protected there.
    enum Form: String {
        /// An age file.
        case age
        /// The key itself, or the app's item of a key without protection.
        case unprotected = "none"
        /// The app's items under a PIN.
        case pin
        /// The same in their old form.
        case pinLegacy = "pin-legacy"

        var words: String {
            switch self {
            case .age: "age file"
            case .unprotected: "the key in the clear"
            case .pin: "the app's items under a PIN, version 1"
            case .pinLegacy: "the app's items under a PIN, legacy"
            }
        }

        /// Whether changed bytes can go unnoticed: they would give another key.
        var isUnauthenticated: Bool { self == .pin || self == .pinLegacy }
    }

    let key: MainKey
    let form: Form
    private let finding: Finding?

    /// What else was seen; at most one, because only an age file is opened by an identity, and only the app's items have
    /// copies.
    private enum Finding {
        case clearCopy
        case openedByIdentity
    }

    /// Whether a copy in the clear stands beside a real protection.
    var hasClearCopy: Bool { finding == .clearCopy }
    /// Whether a secret key of `--identity` has opened it.
    var isOpenedByIdentity: Bool { finding == .openedByIdentity }

    /// Longest file that is read, in bytes: enough for an age file to a thousand recipients.
    static let maxBytes = 512 * 1024

    /// Reads and opens a file, or the app's items in a directory.
    /// - Parameters:
    ///   - path: `-` for stdin.
    ///   - identities: the secret keys of `--identity`, if they may also be for something else than the file; else they
    ///     are read here, and refused for a file that they cannot open.
    /// - Throws: `MainKeyFileError`; `ProtectionItemError`; `PINProtectionError`; `AgeError`; `InputError`; what
    ///   `SecretAsker.open` throws.
    init(
        at path: String, _ opening: MainKeyFileOpening, identities: [HeldAgeIdentity]? = nil, _ session: Session
    ) throws {
        self =
            path != "-" && FileStatus(path)?.isDirectory == true
            ? try Self.readItems(path, opening, identities, session)
            : try Self.readFile(path, opening, identities, session)
    }

    private init(_ key: consuming MainKey, _ form: Form, _ finding: Finding? = nil) {
        self.key = key
        self.form = form
        self.finding = finding
    }

    private static func readFile(
        _ source: String, _ opening: MainKeyFileOpening, _ identities: [HeldAgeIdentity]?, _ session: Session
    ) throws -> ReadMainKey {
        let content = try InputFile(operand: source).readGuarded(limit: maxBytes)
        let path = Self.name(source)
        guard !opening.pin.isGiven else { throw MainKeyFileError.notProtected(path: path, by: .pin) }
        if content.withBytes({ AgeFile.isLikely($0) }) {
            // Encrypted, so it needs no guarded memory.
            let file = try AgeFile(content.revealBytes())
            let isPassphrase = file.recipientKinds.contains(.passphrase)
            let fileKey = try opening.identity.unlock(
                file, named: path, or: opening.passphrase, identities: identities, session)
            let bytes = try file.open(fileKey).readAll(limit: Self.maxBytes)
            guard bytes.count == MainKey.count else { throw MainKeyFileError.otherContent(path: path) }
            return ReadMainKey(try MainKey(bytes), .age, isPassphrase ? nil : .openedByIdentity)
        }
        try requireNoAge(opening, identities, path)
        do {
            let bytes = try content.withBytes { (file) throws(ProtectionItemError) in
                try ProtectionItem.none.content(of: file)
            }
            return ReadMainKey(try MainKey(bytes), .unprotected)
        } catch is ProtectionItemError {
            throw MainKeyFileError.unknown(path: path)
        }
    }

    private static func readItems(
        _ path: String, _ opening: MainKeyFileOpening, _ identities: [HeldAgeIdentity]?, _ session: Session
    ) throws -> ReadMainKey {
        try requireNoAge(opening, identities, path)
        var items = ProtectionItems()
        for item in ProtectionItem.allCases {
            let name = path + "/" + item.rawValue
            guard !FileStatus.isMissing(name) else { continue }
            let content = try InputFile(plainFile: name).readGuarded(limit: ProtectionItem.maxFileCount)
            try content.withBytes { (file) throws(ProtectionItemError) in try items.add(item, file: file) }
        }
        if let protection = try items.pinProtection() {
            let key = try SecretAsker(opening.pin, session.dialog).open(
                .of(path), isWrong: { $0 as? PINProtectionError == .wrongPINOrDamaged }
            ) { pin in
                try session.output.busy("deriving the key of the PIN") { try protection.unlock(pin: pin) }
            }
            // The items are not authenticated: the copy in the clear may be the only one that is whole.
            switch items.clearKey() {
            case .some(let clear):
                guard clear.equals(key) else { throw MainKeyFileError.otherClearCopy(path: path) }
            case .none: break
            }
            return ReadMainKey(
                key, protection.version == .legacy ? .pinLegacy : .pin,
                items.hasClearCopyBesideProtection ? .clearCopy : nil)
        }
        guard let clear = items.clearKey() else {
            if items.found.contains(.randomPIN) { throw MainKeyFileError.onlyRandomPIN(path: path) }
            throw items.hasUnreadableCopy
                ? MainKeyFileError.onlyBiometric(path: path) : MainKeyFileError.noItems(path: path)
        }
        guard !opening.pin.isGiven else { throw MainKeyFileError.notProtected(path: path, by: .pin) }
        return ReadMainKey(clear, .unprotected, items.hasClearCopyBesideProtection ? .clearCopy : nil)
    }

    /// For people.
    static func name(_ path: String) -> String { path == "-" ? "stdin" : path }

    /// - Parameter identities: not nil if they are not for the file alone.
    private static func requireNoAge(
        _ opening: MainKeyFileOpening, _ identities: [HeldAgeIdentity]?, _ path: String
    ) throws {
        guard !opening.passphrase.isGiven, identities != nil || opening.identity.paths.isEmpty else {
            throw MainKeyFileError.notProtected(path: path, by: .age)
        }
    }

    /// Says that changed bytes would have gone unnoticed.
    func warnOfForgery(at path: String, _ session: Session) {
        guard form.isUnauthenticated else { return }
        session.output.warn(
            "\(path) is not authenticated: changed bytes would give another key"
                + (form == .pinLegacy ? "; its old form also reuses a keystream" : ""))
    }

    /// Says what to delete once the key is somewhere else.
    /// - Parameter event: when that is.
    func warnOfCopy(at path: String, _ session: Session, until event: String = "the key is imported") {
        if form == .unprotected {
            session.output.warn(
                path == "-"
                    ? "stdin had the key in the clear: delete what it came from when \(event)"
                    : "\(path) holds the key in the clear: delete it when \(event)")
        } else if hasClearCopy {
            session.output.warn("\(path)/\(ProtectionItem.none.rawValue) is a copy in the clear: delete it")
        }
    }
}

/// Why a file or directory holds no MainKey that can be read.
enum MainKeyFileError: Error {
    /// What was given to open a file.
    enum Means { case age, pin }

    /// An age file with something else in it.
    case otherContent(path: String)
    /// A secret was given for a file of another form.
    case notProtected(path: String, by: Means)
    /// None of the forms.
    case unknown(path: String)
    /// A directory without items of the app.
    case noItems(path: String)
    /// The only item is under a key in one device's chip.
    case onlyBiometric(path: String)
    /// No item is under the user's PIN, only one under a text that the app has made.
    case onlyRandomPIN(path: String)
    /// The copy in the clear is another key than the one that the PIN opens.
    case otherClearCopy(path: String)
    /// The proof does not open with the key.
    case notProven(path: String, LockedValueError)
}
