public import Encodings
internal import Ratchet
public import SecureMemory

// An account as text, which an age file or a sealed record contains. JSON, names in byte order, no blanks:
//
//     {"identity":"<32 bytes in Base64>","lastResort":{"id":1048575,"private":"…"},"messenger":"textsecure",
//      "nextPrekeyId":7,"number":"+12025550123","password":"…","prekeys":[{"id":5,"private":"…"}],
//      "registrationId":1234,"relay":null,"server":"https://…","signalingKey":"<52 bytes in Base64>","version":1}
//
// Private keys are written clamped. Public halves are computed when it is read. Used prekey ids are not written: the
// counter `nextPrekeyId` has passed them, and comes back to them after a million prekeys. Any order and blanks are read.

extension TextSecureAccount {
    /// Longest text that is read, in bytes.
    public static let maxTextCount = 256 * 1024
    private static let version: Int64 = 1
    private static let messenger = "textsecure"
    private static let paths = [
        ["identity"], ["password"], ["signalingKey"], ["lastResort", "private"],
        ["prekeys", JSONScanner.eachElement, "private"],
    ]
    private static let members: Set<String> = [
        "lastResort", "messenger", "nextPrekeyId", "number", "prekeys", "registrationId", "relay", "server", "version",
    ]

    /// The account as text, in guarded memory.
    public borrowing func encoded() -> SecureBytes {
        // Escapes double a text at most. The rest of a prekey has less than 96 bytes, and all other members 1024.
        let names = (server?.utf8.count ?? 0) + (relay?.utf8.count ?? 0)
        var text = SecureBuffer(
            capacity: 1024 + 2 * (names + password.held.bytes.count) + 96 * prekeys.count)
        text.append(#"{"identity":""#)
        text.append(key: identity.held)
        text.append(#"","lastResort":{"id":\#(lastResort.id),"private":""#)
        text.append(key: lastResort.key.held)
        text.append(#""},"messenger":"\#(Self.messenger)","nextPrekeyId":\#(prekeys.nextID),"number":"\#(number)""#)
        text.append(#","password":""#)
        password.held.bytes.withBytes { text.append(escaping: $0) }
        text.append(#"","prekeys":["#)
        for (index, prekey) in prekeys.privatePrekeys().enumerated() {
            text.append((index > 0 ? "," : "") + #"{"id":\#(prekey.id),"private":""#)
            text.append(key: prekey.key)
            text.append(#""}"#)
        }
        text.append(#"],"registrationId":\#(registrationID),"relay":"#)
        text.append(name: relay)
        text.append(#","server":"#)
        text.append(name: server)
        text.append(#","signalingKey":""#)
        signalingKey.held.bytes.withBytes { Base64.encode($0, appendingTo: &text) }
        text.append(#"","version":\#(Self.version)}"#)
        return text.finish()
    }

    /// Reads an account from its text. The secrets go from there to guarded memory and nowhere else.
    /// - Parameter now: prekeys count as stored then.
    /// - Throws: `TextSecureAccountError`.
    public init(decoding text: Span<UInt8>, at now: Timestamp) throws(TextSecureAccountError) {
        guard text.count <= Self.maxTextCount else { throw .tooLong(limit: Self.maxTextCount) }
        let document: JSONValue
        let places: [[Range<Int>]]
        do {
            (document, places) = try JSONScanner.parse(
                text, cuttingEach: Self.paths, limits: .init(depth: 4, values: 16 + 3 * PrekeyPool.Rules.maxBatch))
        } catch {
            throw .malformed
        }
        try Self.checkHead(document)
        guard let number = document["number"]?.string, let id = document["registrationId"]?.number32,
            let next = document["nextPrekeyId"]?.number32, let lastResort = document["lastResort"],
            places[0..<4].allSatisfy({ $0.count == 1 })
        else { throw .malformed }
        guard let number = AccountNumber(number) else { throw .wrongNumber }
        guard let registrationID = UInt16(exactly: id) else { throw .wrongRegistrationID }
        guard let identity = Self.key(places[0][0], text) else { throw .malformedIdentity }
        guard let password = AccountPassword(try Self.string(places[1][0], text)) else { throw .wrongPassword }
        guard let signalingKey = Self.signalingKey(try Self.string(places[2][0], text)) else {
            throw .malformedSignalingKey
        }
        try self.init(
            number: number, password: password, signalingKey: signalingKey, identity: identity,
            registrationID: registrationID, lastResort: Self.lastResort(lastResort, places[3][0], text),
            prekeys: Self.prekeys(
                document, places[4], text, next: Self.next(next, lastResort: document["lastResort"]), at: now),
            server: try Self.name(document, "server"), relay: try Self.name(document, "relay"))
    }

    /// The messenger and the version before the rest, which they decide.
    private static func checkHead(_ document: JSONValue) throws(TextSecureAccountError) {
        guard let members = document.members else { throw .malformed }
        guard let messenger = document["messenger"]?.string else { throw .malformed }
        guard messenger == Self.messenger else { throw .otherMessenger }
        guard let version = document["version"] else { throw .malformed }
        guard version.integer == Self.version else { throw .unknownVersion(version.integer) }
        for member in members where !Self.members.contains(member.name) {
            // A member of a known name that is still there was not a string.
            throw ["identity", "password", "signalingKey"].contains(member.name) ? .malformed : .unknownMember
        }
    }

    private static func lastResort(
        _ element: JSONValue, _ place: Range<Int>, _ text: Span<UInt8>
    ) throws(TextSecureAccountError) -> LastResortPrekey {
        guard let id = element["id"]?.number32 else { throw .malformed }
        guard element.members?.count == 1 else { throw .unknownMember }
        guard let key = key(place, text) else { throw .malformedPrekey(id) }
        return try LastResortPrekey(id: id, key: key)
    }

    /// The ID to try next. Clients with the last-resort ID 0xFFFFFF numbered up to it: from there it begins again, below
    /// 0xFFFFF as for all.
    private static func next(_ next: UInt32, lastResort: JSONValue?) -> UInt32 {
        let numberedFurther = lastResort?["id"]?.number32.map { $0 != LastResortPrekey.id } ?? false
        return numberedFurther && (LastResortPrekey.id...PrekeyPool.maxTextSecureID).contains(next) ? 1 : next
    }

    private static func prekeys(
        _ document: JSONValue, _ places: [Range<Int>], _ text: Span<UInt8>, next: UInt32, at now: Timestamp
    ) throws(TextSecureAccountError) -> PrekeyPool {
        // Each element has at most one key, so equal numbers mean that each has its own.
        guard let elements = document["prekeys"]?.array, elements.count == places.count else { throw .malformed }
        guard elements.count <= PrekeyPool.Rules.maxBatch else { throw .wrongPrekeys }
        var keys: [PrekeyPool.PrivatePrekey] = []
        for (element, place) in zip(elements, places) {
            guard let id = element["id"]?.number32 else { throw .malformed }
            guard element.members?.count == 1 else { throw .unknownMember }
            guard id <= PrekeyPool.maxTextSecureID else { throw .wrongPrekeys }
            guard let key = key(place, text) else { throw .malformedPrekey(id) }
            keys.append(PrekeyPool.PrivatePrekey(id: id, key: key.held))
        }
        guard let pool = PrekeyPool(.textSecure, keys: keys, next: next, at: now) else { throw .wrongPrekeys }
        return pool
    }

    private static func string(_ place: Range<Int>, _ text: Span<UInt8>) throws(TextSecureAccountError) -> SecureBytes {
        do { return try JSONScanner.unescape(place, of: text) } catch { throw .malformed }
    }

    private static func key(_ place: Range<Int>, _ text: Span<UInt8>) -> AgreementKey? {
        guard let spelled = try? JSONScanner.unescape(place, of: text),
            let bytes = spelled.withBytes({ LenientBase64.decode($0) })
        else { return nil }
        return AgreementKey(bytes)
    }

    private static func signalingKey(_ spelled: consuming SecureBytes) -> SignalingKey? {
        guard let bytes = spelled.withBytes({ LenientBase64.decode($0) }) else { return nil }
        return SignalingKey(bytes)
    }

    /// A text, or nil for `null`.
    private static func name(_ document: JSONValue, _ name: String) throws(TextSecureAccountError) -> String? {
        switch document[name] {
        case .string(let text): return text
        case .null: return nil
        default: throw .malformed
        }
    }
}

extension JSONValue {
    fileprivate var number32: UInt32? { integer.flatMap { UInt32(exactly: $0) } }
}

extension SecureBuffer {
    /// Base64 of a private key, clamped.
    fileprivate mutating func append(key: HeldKey) {
        let clamped = key.bytes.clamped()
        clamped.withBytes { Base64.encode($0, appendingTo: &self) }
    }

    /// The text of a string without control characters.
    fileprivate mutating func append(escaping text: Span<UInt8>) {
        var special: UInt32 = 0
        for index in text.indices {
            let byte = UInt32(text[index])
            special |= ConstantTime.mask(byte, equals: 0x22) | ConstantTime.mask(byte, equals: 0x5c)
        }
        // A password that somebody has chosen may have one: then the length shows it.
        guard ConstantTime.reveal(special) else { return append(text) }
        for index in text.indices {
            if text[index] == UInt8(ascii: "\"") || text[index] == UInt8(ascii: "\\") { append(UInt8(ascii: "\\")) }
            append(text[index])
        }
    }

    /// A string, or `null`.
    fileprivate mutating func append(name: String?) {
        guard let name else { return append("null") }
        append("\"")
        let bytes = Array(name.utf8)
        append(escaping: bytes.span)
        append("\"")
    }
}
