import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore

struct KeyUnlock: Verb {
    static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Keep the keystore unlocked for a while.",
        discussion: """
            Stores the unlocked master key in the kernel's keyring of this account. Other commands read it \
            from there. Until it expires, root and any process of this account can read it. Containers that \
            share the user id without a user namespace can read it, too. For cron, use a systemd credential or \
            --passphrase-file instead.
            """)

    @OptionGroup var globals: GlobalOptions

    @Option(name: .customLong("for"), help: ArgumentHelp("How long, at most 24h.", valueName: "duration"))
    var span = TimeSpan(argument: "15m")!

    @OptionGroup var keystore: KeystoreOptions

    func validate() throws {
        guard (Duration.seconds(1)...Duration.hours(24)).contains(span.duration) else {
            throw ValidationError("--for takes 1s to 24h")
        }
    }

    func run(_ session: Session) throws {
        let locked = try LockedKeystore(at: session.keystorePath)
        guard locked.isProtected else {
            _ = try session.unlock(locked, keystore.passphrase)
            return try session.reportProtection("key unlock", "there is nothing to unlock")
        }
        let opened = try session.unlock(locked, keystore.passphrase, from: .passphrase)
        let seconds = UInt32(span.duration.components.seconds)
        try opened.keepUnlocked(seconds: seconds)
        let until = WallClock.now() + span.duration
        try session.output.done(
            ["unlocked until \(until.rfc3339)"],
            json: .result("key unlock", [("unlocked", true), ("until", .string(until.rfc3339))]))
        session.output.hint("any process of this account can read the key until then; keytool key lock removes it")
    }
}

struct KeyLock: Verb {
    static let configuration = CommandConfiguration(
        commandName: "lock", abstract: "Remove the unlocked key from the kernel's keyring.")

    @OptionGroup var globals: GlobalOptions

    func run(_ session: Session) throws {
        let wasUnlocked = try LockedKeystore(at: session.keystorePath).forgetUnlocked()
        try session.output.done(
            [wasUnlocked ? "the key was removed from the keyring" : "the keystore was not unlocked"],
            json: .result("key lock", [("unlocked", false), ("was_unlocked", .bool(wasUnlocked))]))
    }
}
