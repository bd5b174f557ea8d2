import Encodings
import Foundation
import SecureMemory
import SophaxChat
import SophaxStorage

/// An identity is written as text and read again, and split into shares; messages of a peer are sealed for a disk.
///
///     keep-account
@main
struct KeepAccount {
    static func main() throws {
        let now = Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000))
        let identity = SophaxIdentity()

        let account = try SophaxAccount(identity: identity, username: "alice", prekeys: PrekeyStore(at: now))
        let text = account.encoded()
        let restored = try text.withBytes { (text) throws(BackupError) in try SophaxAccount(decoding: text) }
        print("restored:", restored.peerID == account.peerID)

        let shares = try IdentityShare.split(account.identity, threshold: 2, total: 3, at: AppTime(now))
        let joined = try IdentityShare.join([shares[2], shares[0]], expected: account.peerID)
        print("joined:", joined.peerID == account.peerID)

        let key = Random.secret(32)
        let content = Array("messages".utf8)
        let file = StoredMessages.seal(content.span, key: key)
        // The name of the file does not say whose messages it has.
        let name = StoredMessages.fileName(account.peerID, key: key)
        print("a name of the app's key store:", StoredMessages.isAccount("session.\(account.peerID)"))
        print(name.count, "characters, opened:", try StoredMessages.open(file, key: key).count == content.count)
    }
}
