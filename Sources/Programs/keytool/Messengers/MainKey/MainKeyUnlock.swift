import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import MessengerKeeping
import ProtonMainKey

struct MainKeyUnlock: Verb {
    static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Keep a MainKey unlocked for a while.",
        discussion: """
            Always checks the PIN or secret key, then stores the MainKey in the kernel's keyring of this account. Other \
            commands read it from there. Until it expires, root and any process of this account can read it. \
            keytool mainkey timeout sets after how many minutes without use it is removed earlier.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: AccountArgument<MainKeyMessenger>

    @Option(name: .customLong("for"), help: ArgumentHelp("How long, at most 24h.", valueName: "duration"))
    var span = TimeSpan(argument: "15m")!

    @OptionGroup var opening: MainKeyOpening

    @OptionGroup var keystore: KeystoreOptions

    func validate() throws {
        guard (Duration.seconds(1)...MainKeyKeeper.longestUnlock).contains(span.duration) else {
            throw ValidationError("--for takes 1s to 24h")
        }
    }

    func run(_ session: Session) throws {
        let (keeper, id) = try session.open(named, keystore)
        let until = try session.withMainKey(id, in: keeper, opening, isFresh: true) { opened in
            opened.source == .unprotected ? nil : try keeper.unlock(opened.key, for: span.duration)
        }
        guard let until else {
            return try session.output.done(
                ["there is nothing to unlock: the MainKey \(id) has no PIN or key"],
                json: .mainKey("unlock", id, [("unlocked", true), ("protections", ProtectionKinds.clear.json)]))
        }
        let autolock = try keeper.summary(id).autolock
        try session.output.done(
            ["unlocked until \(until.rfc3339)"] + (autolock.minutes > 0 ? ["autolock    \(autolock.words)"] : []),
            json: .mainKey(
                "unlock", id,
                [
                    ("unlocked", true), ("until", .string(until.rfc3339)),
                    ("timeout_minutes", .number(autolock.minutes)),
                ]))
        session.output.hint(
            "any process of this account can read the key until then; keytool mainkey lock \(id) removes it")
    }
}

struct MainKeyLock: Verb {
    static let configuration = CommandConfiguration(
        commandName: "lock", abstract: "Remove an unlocked MainKey from the kernel's keyring.",
        discussion: "Needs neither the PIN nor the keystore passphrase.")

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: AccountArgument<MainKeyMessenger>

    func run(_ session: Session) throws {
        let path = try session.keystorePath
        let locked = try LockedKeystore(at: path)
        let ids = try LockedKeystore.owners(at: path).compactMap(\.mainKey)
        let id = try named.id ?? MainKeyMessenger.chosen(nil, of: ids)
        let wasUnlocked: Bool
        do {
            wasUnlocked = try MainKeyKeeper.lock(id, in: locked)
        } catch is KernelKeyringError where !ids.contains(id) {
            throw MainKeyKeepingError.noKey(id)
        }
        // Its records may be gone, and the unlocked key still be there.
        guard wasUnlocked || ids.contains(id) else { throw MainKeyKeepingError.noKey(id) }
        try session.output.done(
            [wasUnlocked ? "the MainKey was removed from the keyring" : "the MainKey was not unlocked"],
            json: .mainKey("lock", id, [("unlocked", false), ("was_unlocked", .bool(wasUnlocked))]))
    }
}

struct MainKeyTimeout: Verb {
    static let configuration = CommandConfiguration(
        commandName: "timeout", abstract: "Set when an unlocked MainKey is locked by itself.",
        discussion: """
            The countdown begins at the end of the last command that used the key. With a number, the key is also \
            locked if the clock was set meanwhile. never: only the time of unlock --for counts. always: unlock \
            stores nothing.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: ArgumentHelp("never, always, or a number of minutes, 1 to 1440.", valueName: "minutes"))
    var minutes: AutolockArgument

    @OptionGroup var named: AccountArgument<MainKeyMessenger>

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let (keeper, id) = try session.open(named, keystore)
        try keeper.set(minutes.setting, of: id)
        try session.output.done(
            ["autolock of \(id): \(minutes.setting.words)"],
            json: .mainKey("timeout", id, [("timeout_minutes", .number(minutes.setting.minutes))]))
    }
}

/// An autolock setting as it is spelled: never, always, or minutes; also the apps' -1 and 0.
struct AutolockArgument: ExpressibleByArgument {
    let setting: AutolockSetting

    init?(argument: String) {
        let minutes =
            switch argument {
            case "never": -1
            case "always": 0
            default: Int(argument) ?? -2
            }
        guard let setting = AutolockSetting(minutes: minutes) else { return nil }
        self.setting = setting
    }
}
