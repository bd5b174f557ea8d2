import Age
import ArgumentParser
import CommandLine
import Console
import MessengerKeeping
import ProtonMainKey

/// A kind of protection, as it is spelled.
enum ProtectionWord: String, ExpressibleByArgument, CaseIterable {
    case pin
    case key
    case none

    var kind: ProtectionKinds {
        switch self {
        case .pin: .pin
        case .key: .key
        case .none: .clear
        }
    }
}

struct MainKeyProtect: Verb {
    static let configuration = CommandConfiguration(
        commandName: "protect", abstract: "Add a protection to a MainKey: a PIN, or somebody's public key.",
        discussion: """
            pin seals the key under a PIN or passphrase, key for the age recipients that follow. Either of them opens \
            the key, and a copy in the clear is removed. none adds a copy in the clear. The key stays the same. If only \
            recipients are left to open the key, --identity proves that one of them can, or you confirm.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: ArgumentHelp("pin, key or none.", valueName: "protection"))
    var kind: ProtectionWord

    @Argument(
        help: ArgumentHelp("With key: whose secret keys are to open the MainKey, at most 20.", valueName: "age1..."))
    var recipients: [String] = []

    @OptionGroup var named: AccountOption<MainKeyMessenger>

    @Flag(help: "Replace the recipients of a key protection that is there.")
    var replace = false

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup var choice: NewPINOptions

    @OptionGroup(title: "New PIN or passphrase (at least 4 characters)")
    var newPIN: SecretOptions<NewMainKeyPIN>

    @OptionGroup var opening: MainKeyOpening

    @OptionGroup var keystore: KeystoreOptions

    func validate() throws {
        guard (kind == .key) != recipients.isEmpty else {
            throw ValidationError(
                kind == .key ? "protect key needs at least one recipient age1..." : "only protect key takes recipients")
        }
        guard !replace || kind == .key else { throw ValidationError("--replace is for protect key only") }
        guard !newPIN.isGiven || kind == .pin else { throw ValidationError("a new PIN is for protect pin only") }
    }

    func run(_ session: Session) throws {
        let recipients = try AgeRecipientError.recipients(recipients)
        let (keeper, id) = try session.open(named, keystore)
        let planned = try keeper.plan(.protect(kind.kind, isReplacing: replace), of: id)
        let plan = planned.plan
        // Before the question: somebody may have replaced the keystore.
        guard try opening.pin.source() == nil || plan.present.contains(.pin) else {
            throw MainKeyKeepingError.noProtection(.pin, of: id)
        }
        // Read once: it may come from stdin.
        let identities = try opening.identity.identities(session)
        let isKeyProven = identities.contains { recipients.contains($0.identity.recipient) }
        // If no key protection is there, --identity can only be a proof for the new one.
        let isProofOnly = plan.consent == .unprovenKey && !plan.present.contains(.key)
        guard !isProofOnly || isKeyProven || identities.isEmpty else { throw MainKeyKeepingError.wrongIdentity(nil) }
        if let consent = plan.consent(isProven: isKeyProven), !yes { try session.ask(consent, id) }
        try session.withMainKey(id, in: keeper, opening, identities: isProofOnly ? [] : identities) { opened in
            let protection: MainKeyKeeper.NewProtection =
                switch kind {
                case .pin: .pin(try choice.create(newPIN, session))
                case .key: .key(recipients)
                case .none: .clear
                }
            try session.output.busy("sealing the MainKey") {
                try keeper.change(planned, holding: opened.key, isProven: opened.isProven, protection)
            }
        }
        try session.output.done(
            ["protection of \(id): \(plan.result.words)"],
            json: .mainKey("protect", id, [("protections", plan.result.json)]))
        if plan.present.contains(.clear), !plan.result.contains(.clear) {
            session.output.hint("older copies of the keystore still hold the key in the clear")
        }
        if kind == .none { session.noteProtection(ofMainKey: plan.result, keeper) }
    }
}

extension Session {
    /// Asks before a change of protections loses something.
    /// - Throws: `UsageFailure` unless the user agrees.
    func ask(_ consent: ProtectionPlan.Consent, _ id: CheckValue) throws {
        switch consent {
        case .clearCopy:
            output.note("a copy in the clear makes the protection worthless")
            try dialog.confirm("store a copy of the MainKey \(id) in the clear")
        case .lastProtection:
            output.note("without a PIN or key, anyone who can read the keystore has the MainKey")
            try dialog.confirm("remove the last protection of the MainKey \(id)")
        case .unprovenKey:
            output.note(
                "only the recipients' secret keys will open the MainKey; --identity AGEKEYFILE proves that one does")
            try dialog.confirm("protect the MainKey \(id) with keys only, without that proof")
        case .unprovenPIN:
            output.note("only the PIN will open the MainKey; without --identity, the command asks for it")
            try dialog.confirm("protect the MainKey \(id) with the PIN only, without that proof")
        }
    }
}

struct MainKeyRemove: Verb {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a protection from a MainKey.",
        discussion: """
            The last PIN or key is removed only after confirmation: the MainKey is then in the clear. A PIN beside a key \
            is removed after --identity has opened the MainKey, or after confirmation; a key beside a PIN, after the \
            PIN has opened it, or with --identity after confirmation. none removes a copy in the clear, after a PIN or \
            key has opened the MainKey.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: ArgumentHelp("pin, key or none.", valueName: "protection"))
    var kind: ProtectionWord

    @OptionGroup var named: AccountOption<MainKeyMessenger>

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup var opening: MainKeyOpening

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let (keeper, id) = try session.open(named, keystore)
        let planned = try keeper.plan(.remove(kind.kind), of: id)
        let plan = planned.plan
        // If --identity is given, nothing else opens the key; without it, the PIN does where nothing else is left.
        let isByIdentity = !opening.identity.paths.isEmpty
        let isProven = plan.consent == .unprovenPIN ? !isByIdentity : isByIdentity
        if let consent = plan.consent(isProven: isProven), !yes { try session.ask(consent, id) }
        let isFresh = plan.needsProof || plan.consent == .unprovenPIN
        try session.withMainKey(id, in: keeper, opening, isFresh: isFresh) { opened in
            try keeper.change(planned, holding: opened.key, isProven: opened.isProven)
        }
        try session.output.done(
            ["protection of \(id): \(plan.result.words)"],
            json: .mainKey("remove", id, [("protections", plan.result.json)]))
        session.output.hint(
            kind == .none
                ? "older copies of the keystore still hold the key in the clear"
                : "older copies of the keystore still open with what was removed")
        session.noteProtection(ofMainKey: plan.result, keeper)
    }
}
