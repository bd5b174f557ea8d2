import ArgumentParser
import CommandLine
import Console
import Encodings
import KeyWrapping
import Keystore
import SecureMemory

struct KeyStatus: Verb {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show how the master key is protected. Needs no passphrase.")

    @OptionGroup var globals: GlobalOptions

    func run(_ session: Session) throws {
        let locked = try LockedKeystore(at: session.keystorePath)
        let mode = "0" + String(try locked.masterKeyMode(), radix: 8)
        let isUnlocked = locked.isProtected && locked.unlockFromKeyring() != nil
        let isMemoryLocked = MemoryLocking.isPossible
        let unlocked: String? =
            locked.isProtected ? isUnlocked ? "by a key in the kernel's keyring" : "no" : nil
        let counts = try Messengers.counts(LockedKeystore.owners(at: locked.path))
        try session.output.data(
            [
                "protection  \(locked.protection.words)",
                "file        \(locked.masterKeyPath), mode \(mode)",
                unlocked.map { "unlocked    \($0)" },
                "identities  "
                    + (counts.isEmpty ? "none" : counts.map { "\($0.messenger) \($0.count)" }.joined(separator: ", ")),
                "memory      \(isMemoryLocked ? "secrets cannot be swapped to disk" : MemoryLocking.refusal)",
            ].compactMap { $0 },
            json: .result(
                "key status",
                locked.protection.members + [
                    ("file", .string(locked.masterKeyPath)), ("mode", .string(mode)),
                    ("unlocked", .bool(isUnlocked || !locked.isProtected)),
                    ("memory_locked", .bool(isMemoryLocked)),
                    ("identities", .members(counts.map { ($0.messenger, .number($0.count)) })),
                ]))
        if locked.protection.isWeak {
            session.output.hint("keytool key passwd raises the cost")
        }
    }
}

extension MemoryLocking {
    static let refusal = "secrets can be swapped to disk: the limit on locked memory (ulimit -l) is too low"
}

extension WrappedKey.Protection {
    var words: String {
        switch self {
        case .none: "not protected by a passphrase"
        case .scrypt: "passphrase (scrypt, 64 MiB)"
        case .argon2id(let cost):
            "passphrase (Argon2id, \(ByteCount.text(Int(cost.memoryKiB) * 1024)), \(cost.iterations) "
                + (cost.iterations == 1 ? "pass)" : "passes)") + (cost.isWeak ? ", weak" : "")
        }
    }

    var members: [(String, JSONValue?)] {
        switch self {
        case .none: [("protection", "none")]
        case .scrypt:
            [("protection", "passphrase"), ("scheme", "scrypt"), ("memory_kib", .number(65_536)), ("weak", false)]
        case .argon2id(let cost):
            [
                ("protection", "passphrase"), ("scheme", "argon2id"), ("memory_kib", .number(cost.memoryKiB)),
                ("iterations", .number(cost.iterations)), ("weak", .bool(cost.isWeak)),
            ]
        }
    }
}
