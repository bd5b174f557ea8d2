import Encodings
import Primitives
import Ratchet
import SecureMemory

/// Two sides with encrypted headers, as SophaxChat has them.
final class Talk {
    private static let now = Timestamp(milliseconds: 1_767_225_600_000)
    private static let suite = RatchetSuite(
        id: 1, agreement: RatchetSuite.Agreement(hasPrefix: true, info: "agreement"), start: .rootKey,
        rootInfo: "root", expansion: nil,
        headerKeys: RatchetSuite.HeaderKeys(initiatorInfo: "header", responderInfo: "next header"),
        formerChains: .areClosed,
        limits: RatchetSuite.Limits(
            maxSkipped: 1000, maxStored: 1000, overflow: .refuse, maxChains: 51, maxAge: .seconds(604_800)))

    private var sender: DoubleRatchet
    private var receiver: DoubleRatchet

    init() throws {
        let (alice, bob, prekey) = (HeldKey(Random.secret(32)), HeldKey(Random.secret(32)), HeldKey(Random.secret(32)))
        let ephemeral = HeldKey(Random.secret(32))
        let published = FirstSecret.ResponderKeys(
            identity: Self.publicKey(bob), prekey: Self.publicKey(prekey), oneTime: nil)
        sender = try .initiate(
            Self.suite,
            secret: try FirstSecret.initiate(
                Self.suite, identity: alice.bytes, ephemeral: ephemeral.bytes, with: published),
            prekey: published.prekey)
        receiver = .respond(
            Self.suite,
            secret: try FirstSecret.respond(
                Self.suite, identity: bob.bytes, prekey: prekey.bytes, oneTime: nil,
                initiator: Self.publicKey(alice), ephemeral: Self.publicKey(ephemeral)), prekey: prekey.bytes)
        try chain([1])
    }

    /// One more message of the same side.
    func chain(_ text: [UInt8]) throws {
        let letter = Letter(text, try sender.seal())
        let opened = try receiver.open(letter.header(), at: Self.now, body: letter.open)
        guard opened.plaintext.count == text.count else { fatalError("opened") }
        receiver = opened.next
    }

    /// A message of the side that has received last: the other one begins new chains when it opens it.
    func turn(_ text: [UInt8]) throws {
        let letter = Letter(text, try receiver.seal())
        let opened = try sender.open(letter.header(), at: Self.now, body: letter.open)
        guard opened.hasTurned, opened.plaintext.count == text.count else { fatalError("opened") }
        sender = opened.next
        swap(&sender, &receiver)
    }

    private static func publicKey(_ key: HeldKey) -> [UInt8] { key.bytes.withBytes { X25519.publicKey(of: $0) } }
}

/// A message: two boxes, each a nonce and ChaCha20-Poly1305. The body authenticates the header.
struct Letter {
    private let headerBox: [UInt8]
    private let bodyBox: [UInt8]

    init(_ text: [UInt8], _ keys: OutgoingKeys) {
        let numbers = [keys.header.previousCount, keys.header.number].flatMap { number in
            stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
        }
        headerBox = Self.seal(keys.header.ratchetKey + numbers, keys.headerKey!, [])
        bodyBox = Self.seal(text, keys.messageKey, headerBox)
    }

    func header() -> ReceivedHeader {
        .sealed { key in
            guard let opened = try? Self.open(headerBox, key, []) else { return nil }
            return opened.withBytes { bytes in
                let plain = bytes.indices.map { bytes[$0] }
                func number(_ place: Int) -> UInt32 { plain[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }
                return RatchetHeader(ratchetKey: Array(plain[..<32]), previousCount: number(32), number: number(36))
            }
        }
    }

    func open(_ key: HeldKey) throws(AuthenticationError) -> SecureBytes { try Self.open(bodyBox, key, headerBox) }

    static func seal(_ text: [UInt8], _ key: HeldKey, _ additional: [UInt8]) -> [UInt8] {
        let nonce = Random.bytes(ChaChaPoly.nonceCount)
        return nonce + ChaChaPoly.seal(text.span, nonce: nonce, key: key.bytes, additionalData: additional)
    }

    private static func open(
        _ box: [UInt8], _ key: HeldKey, _ additional: [UInt8]
    ) throws(AuthenticationError) -> SecureBytes {
        let (nonce, sealed) = (Array(box.prefix(ChaChaPoly.nonceCount)), Array(box.dropFirst(ChaChaPoly.nonceCount)))
        return try ChaChaPoly.open(sealed.span, nonce: nonce, key: key.bytes, additionalData: additional, life: .brief)
    }
}

/// A group of one sender and the others, who all have its chain.
final class Crowd {
    private static let now = Timestamp(milliseconds: 1_767_225_600_000)
    private var session: GroupSession

    init(_ count: Int) throws {
        let limits = GroupLimits(
            maxMembers: 100, maxSkipped: 100, maxStored: 1000, maxAge: .seconds(604_800), maxSent: .max,
            maxChainAge: .seconds(604_800), openChains: 3)
        let names = (0..<count).compactMap { GroupMember([UInt8($0)]) }
        session = try GroupSession(names[0], members: names, limits: limits)
        for member in session.pending(at: Self.now) { _ = try session.distribution(for: member, at: Self.now) }
    }

    /// One message to all.
    func seal(_ text: [UInt8]) throws {
        let keys = try session.seal(at: Self.now)
        guard Letter.seal(text, keys.messageKey, []).count == text.count + 28 else { fatalError("sealed") }
    }
}
