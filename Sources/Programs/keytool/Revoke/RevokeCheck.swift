import ArgumentParser
import CommandLine
import Console
import Encodings
import Threema
import ThreemaDirectory
import ThreemaKeeping

struct RevokeCheck: Verb {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Ask the directory whether a revocation password is set.",
        discussion: "It says when the password was last set. It does not say whether you still know it.")

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @OptionGroup(title: "Directory")
    var directory: DirectoryOptions

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let at = try DirectorySession(named.id, directory, keystore.passphrase, session)
        let status = try session.output.busy("asking the directory") {
            try at.work.revocationStatus(of: at.id, at: at.server)
        }
        let time = status.lastChanged?.rfc3339
        try session.output.data(
            [
                status.isSet
                    ? "a revocation password of \(at.id) is set" + (time.map { ", since \($0)" } ?? "")
                    : "no revocation password of \(at.id) is set"
            ],
            json: .result(
                "revoke check",
                [
                    ("id", .string(at.id.text)), ("set", .bool(status.isSet)),
                    ("last_changed", time.map { .string($0) }),
                ]))
        if !status.isSet { session.output.hint("keytool revoke set \(at.id) sets one") }
    }
}
