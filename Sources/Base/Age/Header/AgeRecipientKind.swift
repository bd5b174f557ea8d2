/// A kind of recipient that files have, for messages: what could open a file that did not open. Only the first two are
/// supported.
public enum AgeRecipientKind: Hashable, Sendable {
    /// A passphrase.
    case passphrase
    /// A key `age1…`. The file does not say which one.
    case x25519
    /// An ssh key: `ssh-ed25519` or `ssh-rsa`.
    case ssh
    /// A post-quantum key, `age1pq1…`.
    case postQuantum
    /// A key in a device, `age1tag1…` or `age1tagpq1…`.
    case hardware
    /// Another type, which a plugin of age may open; the stanza's type, printable ASCII, at most 8 KiB.
    case other(String)

    init(type: String) {
        self =
            switch type {
            case ScryptStanza.type: .passphrase
            case X25519Stanza.type: .x25519
            case "ssh-ed25519", "ssh-rsa": .ssh
            case "mlkem768x25519": .postQuantum
            case "p256tag", "mlkem768p256tag": .hardware
            default: .other(type)
            }
    }
}
