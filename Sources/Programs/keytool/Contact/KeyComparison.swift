import CommandLine
import Console
import Keystore
import Threema
import ThreemaDirectory
import ThreemaKeeping

/// Compares keys that a directory gives with those in the keystore. A wrong key of a contact is a warning, of an
/// identity in the keystore a failure.
struct KeyComparison {
    private let known: KnownKeys?
    private let server: DirectoryServer

    /// - Parameter known: nil if the keystore is not open.
    init(_ known: KnownKeys?, _ server: DirectoryServer) {
        self.known = known
        self.server = server
    }

    /// - Returns: whether the key is that in the keystore; nil if the keystore has none.
    func matches(_ id: ThreemaID, _ key: PublicKey?) -> Bool? {
        switch known?.compare(id, key) {
        case nil, .unknown: nil
        case .same: true
        case .otherOwnKey, .otherContactKey: false
        }
    }

    /// Warns of another key of a contact.
    func warn(of id: ThreemaID, _ key: PublicKey?, _ output: Output) {
        guard case .otherContactKey(let stored) = known?.compare(id, key) else { return }
        output.warn(
            "\(server.url) has another key for \(id) than the contacts: \(stored.hex) is stored; "
                + "ask the contact why before you trust either key")
    }

    /// - Returns: the failure if the directory has another key for an identity of the keystore.
    func failure(of id: ThreemaID, _ key: PublicKey?) -> Failure? {
        guard case .otherOwnKey(let held) = known?.compare(id, key) else { return nil }
        return Failure(
            .verifyFailed, "WRONG KEY: \(server.url) has another public key for \(id) than this keystore",
            hints: "keystore   \(held.hex)", "directory  \(key.words)",
            "others who ask this directory encrypt for its key: either the directory is wrong, or the ID belongs to somebody else"
        ).because(of: "other_key")
    }

    /// - Returns: the failure if the keystore has another key of an identity or of any contact, so that nothing may be
    ///   stored for this ID.
    func refusal(of id: ThreemaID, _ key: PublicKey) -> Failure? {
        guard case .otherContactKey(let stored) = known?.compare(id, key) else { return failure(of: id, key) }
        return Failure(
            .exists, "the keystore has \(id) as a contact with another public key; nothing was stored for it",
            hints: "stored     \(stored.hex)", "directory  \(key.hex)",
            "ask the contact, by another way, which key is right; do not trust either before",
            "if the stored one is wrong: keytool contact remove --identity OWN \(id), for the identity whose contact it is"
        ).because(of: "other_key")
    }
}

extension Optional<PublicKey> {
    /// The key that a directory has for an identity, in hexadecimal; in words if it is none that can be used.
    var words: String { map(\.hex) ?? "no usable public key" }
}

extension Session {
    /// The keystore, if it opens without asking for its passphrase.
    /// - Returns: nil if it is missing, or needs a passphrase that no source gives.
    /// - Throws: as `keeper` if a source gives the passphrase.
    private func keeperWithoutQuestion(_ passphrase: SecretOptions<KeystorePassphrase>) throws -> ThreemaKeeper? {
        if try passphrase.source() != nil { return try keeper(passphrase) }
        guard let locked = try? LockedKeystore(at: keystorePath),
            let keystore = locked.isProtected ? locked.unlockFromKeyring() : try? locked.unlock()
        else { return nil }
        return keeper(keystore)
    }

    /// The keystore, for a command that can do without it.
    /// - Parameter loss: what the user loses if a given passphrase does not open the keystore: begins the warning.
    /// - Returns: nil if it cannot be opened without a question, or not with a given passphrase.
    /// - Throws: `UsageFailure` if several sources are given, or one is malformed.
    func keeperIfOpen(
        _ passphrase: SecretOptions<KeystorePassphrase>, orWarning loss: String
    ) throws -> ThreemaKeeper? {
        do {
            return try keeperWithoutQuestion(passphrase)
        } catch KeystoreError.absent {
            return nil
        } catch let error as UsageFailure {
            throw error
        } catch {
            output.warn("\(loss): \(Failure(error).message)")
            return nil
        }
    }
}
