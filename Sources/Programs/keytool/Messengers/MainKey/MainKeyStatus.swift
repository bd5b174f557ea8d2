import Age
import ArgumentParser
import CommandLine
import Console
import Encodings
import MessengerKeeping
import ProtonMainKey

struct MainKeyStatus: Verb {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the protections of a MainKey, and whether it is unlocked.")

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: AccountArgument<MainKeyMessenger>

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let (keeper, id) = try session.open(named, keystore)
        let summary = try keeper.summary(id)
        let until = try keeper.unlockedUntil(id)
        try session.output.data(
            summary.lines(unlockedUntil: until),
            json: .mainKey("status", id, summary.members(unlockedUntil: until)))
        if summary.hasWeakWorkFactor {
            session.output.warn(
                "the PIN protection is weak: a guess costs too little; keytool mainkey passwd \(id) seals it again")
        }
        if summary.kinds.hasNeedlessClearCopy {
            session.warnOfClearCopy(of: id)
        } else {
            session.noteProtection(ofMainKey: summary.kinds, keeper)
        }
    }
}

extension MainKeyKeeper.Summary {
    /// For people: one line for each fact.
    func lines(unlockedUntil until: Timestamp?) -> [String] {
        ["MainKey     \(id)"]
            + protectionWords.enumerated().map { ($0 == 0 ? "protection  " : "            ") + $1 }
            + [
                "unlocked    \(until.map { "until \($0.rfc3339), by a key in the kernel's keyring" } ?? "no")",
                "autolock    \(autolock.words)",
            ]
    }

    /// For programs, without its ID.
    func members(unlockedUntil until: Timestamp?) -> [(String, JSONValue?)] {
        [
            ("protections", kinds.json), ("work_factor", workFactor.map { .number($0) }),
            ("recipients", recipients.isEmpty ? nil : .array(recipients.map { .string($0.description) })),
            ("clear_copy", .bool(kinds.hasNeedlessClearCopy)), ("unlocked", .bool(until != nil)),
            ("until", until.map { .string($0.rfc3339) }), ("timeout_minutes", .number(autolock.minutes)),
        ]
    }

    /// A line for each protection.
    fileprivate var protectionWords: [String] {
        var lines: [String] = []
        if kinds.contains(.clear) { lines.append("none: a copy in the clear") }
        if kinds.contains(.pin) {
            let memory = workFactor.map { ", \(ByteCount.text(AgeFile.memory(workFactor: $0)))" } ?? ""
            lines.append("PIN (scrypt\(memory)\(hasWeakWorkFactor ? ", weak" : ""))")
        }
        return lines + recipients.map { "key \($0)" }
    }
}

extension AutolockSetting {
    var words: String {
        switch minutes {
        case 0: "always: an unlocked key is not stored"
        case 1: "1 minute after the last command that used the key"
        case 2...: "\(minutes) minutes after the last command that used the key"
        default: "never; only the time of unlock --for counts"
        }
    }
}
