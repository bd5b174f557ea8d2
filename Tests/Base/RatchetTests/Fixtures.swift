import Encodings
import Primitives
import RatchetModel
import SecureMemory
import Testing

@testable import Ratchet

extension RatchetSuite: CustomTestStringConvertible {
    /// By its number.
    public var testDescription: String { "suite \(id)" }
}

func secure(_ bytes: [UInt8]) -> SecureBytes { SecureBytes(copying: bytes.span) }

func held(_ bytes: [UInt8]) -> HeldKey { HeldKey(secure(bytes)) }

func publicKey(_ secret: [UInt8]) -> [UInt8] { X25519.publicKey(of: secret.span) }

let start = Timestamp(milliseconds: 1_700_000_000_000)

extension DoubleRatchet {
    mutating func send(_ text: [UInt8]) throws(RatchetError) -> Letter { Letter(text, try seal()) }

    borrowing func received(_ letter: Letter, at now: Timestamp = start) throws(RatchetError) -> OpenedMessage {
        try open(letter.received(suite), at: now) { key throws(AuthenticationError) in try letter.open(key) }
    }

    /// Opens a letter and goes on.
    mutating func receive(_ letter: Letter, at now: Timestamp = start) throws(RatchetError) -> [UInt8] {
        let opened = try received(letter, at: now)
        let text = opened.plaintext.revealBytes()
        self = opened.next
        return text
    }

    /// The bytes of the record.
    borrowing func record() -> [UInt8] { encoded().revealBytes() }
}

/// Two sides of a session.
struct Pair: ~Copyable {
    var alice: DoubleRatchet
    var bob: DoubleRatchet

    init(_ suite: RatchetSuite) throws {
        let keys = (0..<4).map { _ in Random.bytes(32) }
        let (identityA, ephemeral, identityB, prekey) = (keys[0], keys[1], keys[2], keys[3])
        let secretA = try FirstSecret.initiate(
            suite, identity: secure(identityA), ephemeral: secure(ephemeral),
            with: FirstSecret.ResponderKeys(identity: publicKey(identityB), prekey: publicKey(prekey)))
        let secretB = try FirstSecret.respond(
            suite, identity: secure(identityB), prekey: secure(prekey), initiator: publicKey(identityA),
            ephemeral: publicKey(ephemeral))
        alice = try DoubleRatchet.initiate(suite, secret: secretA, prekey: publicKey(prekey))
        bob = DoubleRatchet.respond(suite, secret: secretB, prekey: secure(prekey))
    }

    /// Lets both sides send and receive, so that both have all chains.
    mutating func talk() throws {
        for _ in 0..<2 {
            _ = try bob.receive(try alice.send([1]))
            _ = try alice.receive(try bob.send([2]))
        }
    }
}
