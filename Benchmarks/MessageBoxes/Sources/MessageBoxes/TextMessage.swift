import CPeers
import Encodings
import SecureMemory
import Threema
import ThreemaMessages

/// A text message that is sealed and opened, and the two boxes that it needs: of metadata, and of type, body and
/// padding.
struct TextMessage {
    struct Mismatch: Error {}

    static let text = "Hello Bob, are you coming to the lake on Saturday? The weather should hold."
    /// Padding and nickname, ID and time, with the bytes that name them.
    static let metadataCount = 18 + 9 + 7
    /// Type, body, and padding of the mean length.
    static let containerCount = 1 + text.utf8.count + 128

    private let alice = Person(id: try! ThreemaID("000ALICE"), seed: 1)
    private let bob = Person(id: try! ThreemaID("00000BOB"), seed: 2)
    private let shared: [UInt8]

    init() {
        var shared = [UInt8](repeating: 0, count: 32)
        guard crypto_box_beforenm(&shared, bob.publicKey, alice.privateKey) == 0 else { fatalError("no shared key") }
        self.shared = shared
    }

    /// A person, with the private key in the memory of either library.
    final class Person {
        let id: ThreemaID
        let privateKey: [UInt8]
        let publicKey: [UInt8]
        private let clientKey: ClientKey

        init(id: ThreemaID, seed: UInt8) {
            self.id = id
            let privateKey = [UInt8](repeating: seed, count: 32)
            self.privateKey = privateKey
            clientKey = ClientKey(SecureBytes(copying: privateKey.span))
            var publicKey = [UInt8](repeating: 0, count: 32)
            guard crypto_scalarmult_base(&publicKey, privateKey) == 0 else { fatalError("no public key") }
            self.publicKey = publicKey
        }

        func keys(with other: Person) throws -> ContactKeys {
            try ContactKeys(own: clientKey, contact: PublicKey(other.publicKey)!)
        }

    }

    struct NoNonces: UsedNonces {
        func contains(_ digest: NonceDigest) throws(Never) -> Bool { false }
    }

    struct Keys: ~Copyable {
        let own: ContactKeys
        let contact: ContactKeys
    }

    func withKeys(_ body: (borrowing Keys) throws -> Void) throws {
        try body(Keys(own: alice.keys(with: bob), contact: bob.keys(with: alice)))
    }

    /// From the keys of two identities.
    func exchange() throws {
        let own = try alice.keys(with: bob)
        let contact = try bob.keys(with: alice)
        try exchange(own, contact)
    }

    /// With what two identities share.
    func exchange(_ own: borrowing ContactKeys, _ contact: borrowing ContactKeys) throws {
        let message = Message(
            from: alice.id, to: bob.id, id: .random(), createdAt: Timestamp(milliseconds: 1_700_000_000_000),
            body: .chat(.text(Self.text)))
        let sealed = try message.seal(keys: own, notIn: NoNonces())
        let bytes = sealed.payload.encoded
        let payload = try MessagePayload(decoding: bytes.span)
        guard try payload.open(keys: contact) == message else { throw Mismatch() }
    }

    /// libsodium's boxes of the same lengths, sealed and opened.
    func boxes() {
        for count in [Self.metadataCount, Self.containerCount] {
            let plain = [UInt8](repeating: 1, count: count)
            var (box, opened) = ([UInt8](repeating: 0, count: count + 16), plain)
            let nonce = Self.nonce()
            let isSealed = crypto_box_easy(&box, plain, UInt64(count), nonce, bob.publicKey, alice.privateKey) == 0
            let isOpened =
                crypto_box_open_easy(&opened, box, UInt64(box.count), nonce, alice.publicKey, bob.privateKey) == 0
            guard isSealed, isOpened, opened == plain else { fatalError("box") }
        }
    }

    /// The same with a shared key.
    func boxesWithSharedKey() {
        for count in [Self.metadataCount, Self.containerCount] {
            let plain = [UInt8](repeating: 1, count: count)
            var (box, opened) = ([UInt8](repeating: 0, count: count + 16), plain)
            let nonce = Self.nonce()
            let isSealed = crypto_box_easy_afternm(&box, plain, UInt64(count), nonce, shared) == 0
            let isOpened = crypto_box_open_easy_afternm(&opened, box, UInt64(box.count), nonce, shared) == 0
            guard isSealed, isOpened, opened == plain else { fatalError("box") }
        }
    }

    private static func nonce() -> [UInt8] {
        var nonce = [UInt8](repeating: 0, count: 24)
        randombytes_buf(&nonce, nonce.count)
        return nonce
    }
}
