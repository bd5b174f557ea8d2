/// What a machine has to run every day so that the Safes of a keystore stay in order, and revoked contacts are noticed. It installs nothing.
struct SafeSchedule: Equatable {
    /// The account that owns the keystore.
    let account: String
    /// The account's home directory in the user database, which cron and systemd use.
    let home: String
    /// The absolute path of keytool.
    let program: String
    /// The absolute path of the keystore.
    let keystore: String
    let passphrase: Passphrase
    /// The one identity that it is for, or nil for all.
    let identity: String?
    /// What has to run; at least one.
    let works: [Work]
    /// The absolute paths of Safes in directories.
    let directories: [Access: [String]]

    /// A command that has to run.
    enum Work: String {
        case push
        case mirror
        case check

        /// Noun and verb, then the operands for one identity or for all (nil).
        func words(for identity: String?) -> [String] {
            switch self {
            case .push, .mirror: ["safe", rawValue, identity ?? "--all"]
            case .check: ["contact", rawValue] + (identity.map { ["--identity", $0] } ?? ["--all"])
            }
        }
    }

    /// What a run needs of a Safe's directory.
    enum Access: Hashable, CaseIterable {
        case reading
        case writing
    }

    /// Where a run gets the keystore passphrase.
    enum Passphrase: Equatable {
        /// The keystore has none.
        case notNeeded
        /// The absolute path of a file.
        case file(String)
        /// A shell command that prints it.
        case command(String)
        /// A systemd credential: no other source works every day.
        case credential
    }

    /// The path of the keystore if cron does not find it by itself.
    var keystoreForCron: String? { keystore == home + Self.inHome ? nil : keystore }

    /// The path of the keystore if the unit does not show it to its service: that sees homes below `/home` only.
    var keystoreForUnit: String? { home == "/home/" + account ? keystoreForCron : keystore }

    private static let inHome = "/.local/share/keytool"

    /// Failures of the server stay silent for this time.
    static let tolerance = "3d"
}
