import Age
import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import MessengerKeeping
import ProtonMainKey
import SecureMemory

/// What opens a MainKey that is not unlocked.
struct MainKeyOpening: ParsableArguments {
    @OptionGroup(title: "PIN or passphrase of the MainKey")
    var pin: SecretOptions<MainKeyPIN>

    @OptionGroup(title: "Secret key of the MainKey's key protection")
    var identity: AgeIdentityOptions
}

/// An opened MainKey, and what has opened it.
struct OpenedMainKey: ~Copyable {
    enum Source { case keyring, unprotected, pin, identity }

    let key: MainKey
    let source: Source

    /// Whether a real protection has opened.
    var isProven: Bool { source == .pin || source == .identity }
}

extension Session {
    /// The keystore of a command that may create one, if it is there.
    func mainKeysIfPresent(_ options: NewKeystoreOptions) throws -> MainKeyKeeper? {
        try madeKeystore(options.passphrase).map { mainKeys(of: $0) }
    }

    func mainKeys(of keystore: OpenKeystore) -> MainKeyKeeper {
        MainKeyKeeper(
            keystore: keystore,
            now: { ClockReading(wall: WallClock.now(), uptimeMilliseconds: WallClock.uptimeMilliseconds()) })
    }

    /// Opens a MainKey: by what the options name, else from the keyring, else by asking. If it came from the keyring,
    /// its countdown begins again after `body`.
    /// - Parameters:
    ///   - isFresh: whether the keyring does not count, so that a protection has to open.
    ///   - identities: the secret keys of `options`, if they were read already.
    func withMainKey<Result>(
        _ id: CheckValue, in keeper: MainKeyKeeper, _ options: MainKeyOpening, isFresh: Bool = false,
        identities: [HeldAgeIdentity]? = nil, _ body: (borrowing OpenedMainKey) throws -> Result
    ) throws -> Result {
        let identities = try identities ?? options.identity.identities(self)
        let opened = try open(id, in: keeper, options, identities, isFresh: isFresh)
        defer {
            if opened.source == .keyring {
                do { try keeper.renew(id, .restarted) } catch {
                    output.warn("the countdown of the unlocked MainKey was not restarted: \(Failure(error).message)")
                }
            }
        }
        return try body(opened)
    }

    private func open(
        _ id: CheckValue, in keeper: MainKeyKeeper, _ options: MainKeyOpening, _ identities: [HeldAgeIdentity],
        isFresh: Bool
    ) throws -> OpenedMainKey {
        let kinds = try keeper.kinds(id)
        let isPINGiven = try options.pin.source() != nil
        if !identities.isEmpty {
            guard !options.pin.isGiven else {
                throw UsageFailure("--identity and a PIN cannot be combined", hint: "either of them opens the MainKey")
            }
            guard kinds.contains(.key) else { throw MainKeyKeepingError.noProtection(.key, of: id) }
            for identity in identities {
                do {
                    return OpenedMainKey(key: try keeper.open(id, identity: identity.identity), source: .identity)
                } catch MainKeyKeepingError.wrongIdentity {
                    continue
                }
            }
            throw MainKeyKeepingError.wrongIdentity(id)
        }
        guard !isPINGiven || kinds.contains(.pin) else { throw MainKeyKeepingError.noProtection(.pin, of: id) }
        if !isPINGiven {
            switch try keeper.openUnprotected(id) {
            case .some(let key): return OpenedMainKey(key: key, source: .unprotected)
            case .none: break
            }
            if !isFresh {
                switch try keeper.kept(id) {
                case .some(let key): return OpenedMainKey(key: key, source: .keyring)
                case .none: break
                }
            }
        }
        guard kinds.contains(.pin) else { throw MainKeyNeedsIdentity() }
        return try SecretAsker(options.pin, dialog).open(
            .for("the MainKey \(id)"), isWrong: { $0 as? MainKeyKeepingError == .wrongPIN }
        ) { pin in
            OpenedMainKey(
                key: try output.busy("deriving the key of the PIN") { try keeper.open(id, pin: pin) }, source: .pin)
        }
    }

    func warnOfClearCopy(of id: CheckValue) {
        output.warn(
            "a copy of the MainKey is in the clear beside its protection; "
                + "keytool mainkey remove none --id \(id) removes it")
    }

    /// Prints a note if a new MainKey is not protected.
    func noteProtection(ofMainKey kinds: ProtectionKinds, _ keeper: MainKeyKeeper) {
        guard kinds.contains(.clear) else { return }
        output.note(
            keeper.isProtected
                ? "only the keystore's passphrase protects the MainKey"
                : "the MainKey is not protected: anyone who can read the keystore has it")
    }
}

/// A MainKey has only a key protection, and no secret key was named.
struct MainKeyNeedsIdentity: Error {}

/// A PIN for a MainKey: how it is chosen.
struct NewPINOptions: ParsableArguments {
    @Flag(help: "Accept a weak PIN, for example one of 4 or 5 digits; only warn.")
    var weakOk = false

    func create<Kind: Secret>(_ options: SecretOptions<Kind>, _ session: Session) throws -> SecureBytes {
        try Self.create(options, weak: weakOk ? .accept : .ask, session)
    }

    static func create<Kind: Secret>(
        _ options: SecretOptions<Kind>, weak: WeakSecrets, _ session: Session, empty: EmptyAnswer = .isTooShort
    ) throws -> SecureBytes {
        try SecretAsker(options, session.dialog).create(
            .for("the MainKey"), minimum: PINRules.minimum, enoughDigits: PINRules.enoughDigits, weak: weak,
            empty: empty)
    }
}

extension ProtectionKinds {
    /// For people: `PIN and key`.
    var words: String {
        [(ProtectionKinds.clear, "none"), (.pin, "PIN"), (.key, "key")]
            .filter { contains($0.0) }.map(\.1).joined(separator: " and ")
    }

    var json: JSONValue {
        .array(
            [(ProtectionKinds.clear, "none"), (.pin, "pin"), (.key, "key")]
                .filter { contains($0.0) }.map { .string($0.1) })
    }
}

extension JSONValue {
    /// A result about a MainKey.
    static func mainKey(_ verb: String, _ id: CheckValue?, _ members: [(String, JSONValue?)]) -> JSONValue {
        .result(
            "mainkey \(verb)",
            [("messenger", .string(Owner.mainKey)), ("id", id.map { .string($0.description) })] + members)
    }
}
