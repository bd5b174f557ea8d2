import Keystore
import SecureMemory

/// Makes a keystore under a passphrase, stores two records of an identity in it, and reads one again.
///
///     echo 'PASSPHRASE' | keep-records DIR
@main
struct KeepRecords {
    static func main() throws {
        guard CommandLine.arguments.count == 2, let line = readLine(), !line.isEmpty else {
            return print("usage: echo 'PASSPHRASE' | keep-records DIR")
        }
        guard let owner = Owner(messenger: "example", id: "alice") else { return print("not a name of a directory") }
        let passphrase = SecureBytes(copying: Array(line.utf8).span)
        let keystore = try OpenKeystore.openOrCreate(at: CommandLine.arguments[1], passphrase: passphrase)
        try store(Random.secret(32), of: owner, in: keystore)

        guard let key = try keystore.identity(owner).read("key") else { return print("no key") }
        print("\(try keystore.identities().count) identity, key of \(key.count) bytes")

        // Both records change, or neither does.
        let identity = try keystore.lockedIdentity(owner, wait: .seconds(5))
        var changes = identity.changes()
        changes.set("profile", Array("changed".utf8).span)
        changes.remove("key")
        try identity.commit(changes)
        print("key is there: \(try identity.records.contains("key"))")
    }

    /// The identity appears with all of its records at once.
    static func store(_ key: borrowing SecureBytes, of owner: Owner, in keystore: OpenKeystore) throws {
        try keystore.add(owner) { identity in
            try key.withBytes { try identity.write("key", $0) }
            try identity.write("profile", Array("new".utf8).span)
        }
    }
}
