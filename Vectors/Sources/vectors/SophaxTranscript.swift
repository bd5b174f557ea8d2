import Encodings
import Foundation
import Primitives
@_spi(GivenKeys) import Ratchet
import SecureMemory
import SophaxChat

/// A conversation of two sides by the library's ratchet, with ratchet keys that the vector names.
///
/// The stated boxes are opened with the keys that the sender derives, and again by the receiver, whose session then goes
/// on. Boxes that are not stated are sealed here.
struct SophaxTranscript: ~Copyable {
    private var alice: DoubleRatchet
    private var bob: DoubleRatchet
    private var aliceKeys: ArraySlice<HeldKey>
    private var bobKeys: ArraySlice<HeldKey>
    private let associated: [UInt8]
    /// The messages that were sent, in order.
    private var letters: [Letter] = []

    static func compare(_ check: inout Check) throws {
        let steps = try TranscriptStep.all(of: check)
        // If some steps deliver, those that send do not.
        let isApart = steps.contains { if case .delivery = $0.kind { true } else { false } }
        var transcript = try begin(check.inputs)
        for step in steps {
            // After a wrong step the sides are no longer those of the vector.
            guard try transcript.take(step, isApart: isApart) else { return check.note("steps", false) }
        }
        check.note("steps", true)
    }

    private init(
        _ alice: consuming DoubleRatchet, _ bob: consuming DoubleRatchet, _ aliceKeys: ArraySlice<HeldKey>,
        _ bobKeys: [HeldKey], _ associated: [UInt8]
    ) {
        self.alice = alice
        self.bob = bob
        self.aliceKeys = aliceKeys
        self.bobKeys = bobKeys[...]
        self.associated = associated
    }

    private static func begin(_ inputs: Fields) throws -> SophaxTranscript {
        var aliceKeys = try keys(inputs, "alice_ratchet_privates")[...]
        let bobKeys = try keys(inputs, "bob_ratchet_privates")
        let associated = try inputs.bytes("associated_data")
        guard let first = aliceKeys.popFirst() else {
            throw CheckError.malformed("input alice_ratchet_privates", "a list of keys")
        }
        let prekey = HeldKey(try inputs.secret("bob_spk_private"))
        let alice = try DoubleRatchet.initiate(
            .sophaxChat, secret: FirstSecret(try inputs.secret("shared_secret"), suite: .sophaxChat),
            prekey: prekey.bytes.withBytes { X25519.publicKey(of: $0) }, ratchetKey: first)
        let bob = DoubleRatchet.respond(
            .sophaxChat, secret: FirstSecret(try inputs.secret("shared_secret"), suite: .sophaxChat),
            prekey: prekey.bytes)
        return SophaxTranscript(alice, bob, aliceKeys, bobKeys, associated)
    }

    /// A message that was sent.
    private struct Letter {
        /// The name that deliveries may give it.
        let id: String?
        let isFromAlice: Bool
        let header: [UInt8]
        let body: [UInt8]
        let plaintext: [UInt8]
        var isOnItsWay = true
    }

    /// Sends, receives, or both.
    /// - Returns: whether all that is stated is right.
    private mutating func take(_ step: TranscriptStep, isApart: Bool) throws -> Bool {
        switch step.kind {
        case .sending(let isAlice):
            let keys = isAlice ? try alice.seal() : try bob.seal()
            guard let letter = try letter(step.fields, keys, isAlice) else { return false }
            letters.append(letter)
            let isDelivered = step.fields["delivered"]?.bool ?? !isApart
            return try !isDelivered || deliver(letters.count - 1, letter)
        case .delivery(let place, let toAlice):
            return try deliver(place, toAlice, step.fields)
        }
    }

    /// - Parameter step: its boxes take the place of those that were sent.
    private mutating func deliver(_ place: TranscriptStep.Place, _ toAlice: Bool?, _ step: Fields) throws -> Bool {
        let index = try index(of: place, toAlice)
        let letter = letters[index]
        guard letter.isFromAlice != toAlice else {
            throw CheckError.malformed("expected steps to", "the other side than that of the message")
        }
        let changed = Letter(
            id: letter.id, isFromAlice: letter.isFromAlice,
            header: step.has("encrypted_header") ? try step.bytes("encrypted_header") : letter.header,
            body: step.has("ciphertext") ? try step.bytes("ciphertext") : letter.body,
            plaintext: step.has("plaintext") ? try step.bytes("plaintext") : letter.plaintext)
        guard step.has("error") else { return try deliver(index, changed) }
        do {
            _ = try deliver(index, changed)
            return false
        } catch is RatchetError {
            return true
        }
    }

    private func index(of place: TranscriptStep.Place, _ toAlice: Bool?) throws -> Int {
        let index: Int?
        let wanted: CheckError
        switch place {
        case .next:
            index = letters.firstIndex { $0.isOnItsWay && $0.isFromAlice != toAlice }
            wanted = .malformed("expected steps", "a message on its way")
        case .id(let id, let member):
            index = letters.firstIndex { $0.id == id }
            wanted = .malformed("expected steps \(member)", "a message that was sent before")
        case .number(let number, let member):
            index = letters.indices.contains(number) ? number : nil
            wanted = .malformed("expected steps \(member)", "a message that was sent before")
        }
        guard let index else { throw wanted }
        return index
    }

    private mutating func deliver(_ index: Int, _ letter: Letter) throws -> Bool {
        let isRight =
            try letter.isFromAlice
            ? Self.receive(letter, by: &bob, &bobKeys, associated)
            : Self.receive(letter, by: &alice, &aliceKeys, associated)
        letters[index].isOnItsWay = false
        return isRight
    }

    /// - Returns: nil if something stated is wrong.
    private func letter(_ step: Fields, _ keys: OutgoingKeys, _ isFromAlice: Bool) throws -> Letter? {
        guard let headerKey = keys.headerKey else { return nil }
        var stated = Check(inputs: step.value, expected: step.value)
        let text =
            "{\"messageNumber\":\(keys.header.number),\"previousChainLength\":\(keys.header.previousCount),"
            + "\"senderRatchetKey\":\"\(Data(keys.header.ratchetKey).base64EncodedString())\"}"
        stated.compare("number", keys.header.number)
        stated.compare("previous_count", keys.header.previousCount)
        stated.compare("header", text)
        try stated.compare("ratchet_public", keys.header.ratchetKey)
        try stated.compare("header_key", headerKey.bytes)
        try stated.compare("message_key", keys.messageKey.bytes)
        let plaintext = step.has("plaintext") ? try step.bytes("plaintext") : []
        let header = try box(step, "encrypted_header", Array(text.utf8), headerKey, [], &stated)
        let body = try box(step, "ciphertext", plaintext, keys.messageKey, associated + header, &stated)
        guard stated.differences.isEmpty, stated.compared > 0 else { return nil }
        return Letter(
            id: step["id"]?.string, isFromAlice: isFromAlice, header: header, body: body, plaintext: plaintext)
    }

    /// A box of the plaintext under the nonce of the stated one, or under zeros if none is stated.
    private func box(
        _ step: Fields, _ name: String, _ plaintext: [UInt8], _ key: HeldKey, _ data: [UInt8], _ stated: inout Check
    ) throws -> [UInt8] {
        var nonce = [UInt8](repeating: 0, count: ChaChaPoly.nonceCount)
        if step.has(name) { nonce = Array((try step.bytes(name) + nonce)[..<nonce.count]) }
        let box = nonce + ChaChaPoly.seal(plaintext.span, nonce: nonce, key: key.bytes, additionalData: data)
        try stated.compare(name, box)
        return box
    }

    private static func receive(
        _ letter: Letter, by session: inout DoubleRatchet, _ keys: inout ArraySlice<HeldKey>, _ associated: [UInt8]
    ) throws -> Bool {
        // Without a key of the vector the session would go on with a random one.
        var given = keys
        var isShort = false
        let opened = try session.open(
            .sealed { Self.header(letter.header, $0) }, at: Timestamp(milliseconds: 0),
            ratchetKey: {
                guard let key = given.popFirst() else {
                    isShort = true
                    return HeldKey(Random.secret(X25519.count))
                }
                return key
            }
        ) { key throws(AuthenticationError) in
            try Self.open(letter.body, key, associated + letter.header)
        }
        let isRight = opened.plaintext.equals(letter.plaintext)
        session = opened.next
        keys = given
        guard !isShort else { throw CheckError.malformed("input ratchet_privates", "a key for each turn") }
        return isRight
    }

    private static func open(
        _ box: [UInt8], _ key: HeldKey, _ data: [UInt8]
    ) throws(AuthenticationError) -> SecureBytes {
        guard box.count >= ChaChaPoly.nonceCount + ChaChaPoly.tagCount else { throw .notAuthentic }
        return try ChaChaPoly.open(
            box.span.extracting(ChaChaPoly.nonceCount..<box.count), nonce: Array(box[..<ChaChaPoly.nonceCount]),
            key: key.bytes, additionalData: data)
    }

    private static func header(_ box: [UInt8], _ key: HeldKey) -> RatchetHeader? {
        guard let text = try? open(box, key, []),
            let json = text.withBytes({ try? JSONScanner.parse($0) }),
            let number = json["messageNumber"]?.integer, let count = json["previousChainLength"]?.integer,
            let key = json["senderRatchetKey"]?.string.flatMap({ Data(base64Encoded: $0) })
        else { return nil }
        return RatchetHeader(
            ratchetKey: Array(key), previousCount: UInt32(truncatingIfNeeded: count),
            number: UInt32(truncatingIfNeeded: number))
    }

    /// A list, which is an array of hexadecimal texts, or one text with commas.
    private static func keys(_ inputs: Fields, _ name: String) throws -> [HeldKey] {
        let texts =
            try inputs[name]?.array == nil
            ? inputs.text(name).split(separator: ",").map(String.init) : inputs.texts(name)
        return try texts.map { HeldKey(try Fields(value: .string($0), place: "input").secret(name)) }
    }
}
