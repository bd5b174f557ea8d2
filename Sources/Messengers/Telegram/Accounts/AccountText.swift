internal import Encodings
public import SecureMemory

// An account as text, which an age file or a sealed record contains. JSON, names in byte order, no blanks:
//
//     {"keys":[{"dc":2,"key":"<256 bytes in Base64>","lost":false}],"main_dc":2,"messenger":"telegram",
//      "user_id":"1000","version":1}
//
// `user_id` is missing if it is not known. It is text, because JSON's numbers are often read as floating-point ones,
// which have only 53 bits. An account of a session of Pyrogram also has `"api_id":12345,"bot":true` in front; an API ID
// is positive. Keys stand in the order of their data centres. Any order and blanks are read.

extension TelegramAccount {
    /// Longest text that is read, in bytes.
    public static let maxTextCount = 64 * 1024
    private static let version: Int64 = 1
    private static let messenger = "telegram"
    private static let members = ["api_id", "bot", "keys", "main_dc", "messenger", "user_id", "version"]
    private static let keyPath = ["keys", JSONScanner.eachElement, "key"]

    /// The account as text, in guarded memory.
    public func encoded() -> SecureBytes {
        var text = SecureBuffer(capacity: Self.maxTextCount)
        text.append("{")
        if let apiID { text.append(#""api_id":\#(apiID),"#) }
        if let isBot { text.append(#""bot":\#(isBot),"#) }
        text.append(#""keys":["#)
        for (index, key) in keys.enumerated() {
            text.append((index > 0 ? "," : "") + #"{"dc":\#(key.dataCentre),"key":""#)
            key.held.key.bytes.withBytes { Base64.encode($0, appendingTo: &text) }
            text.append(#"","lost":\#(key.isLost)}"#)
        }
        text.append(#"],"main_dc":\#(mainDataCentre),"messenger":"\#(Self.messenger)","#)
        if let user { text.append(#""user_id":"\#(user)","#) }
        text.append(#""version":\#(Self.version)}"#)
        return text.finish()
    }

    /// Reads an account from its text. The keys go from there to guarded memory and nowhere else.
    /// - Throws: `TelegramAccountError`.
    public init(decoding text: Span<UInt8>) throws(TelegramAccountError) {
        guard text.count <= Self.maxTextCount else { throw .tooLong(limit: Self.maxTextCount) }
        let document: JSONValue
        let places: [Range<Int>]
        do {
            let parsed = try JSONScanner.parse(
                text, cuttingEach: [Self.keyPath], limits: .init(depth: 4, values: 10 + 4 * Self.maxKeys))
            (document, places) = (parsed.value, parsed.cuts[0])
        } catch {
            throw .malformed
        }
        guard let members = document.members else { throw .malformed }
        // The messenger and the version before the rest, which they decide.
        guard let messenger = document["messenger"]?.string else { throw .malformed }
        guard messenger == Self.messenger else { throw .otherMessenger }
        guard let version = document["version"] else { throw .malformed }
        guard version.integer == Self.version else { throw .unknownVersion(version.integer) }
        for member in members where !Self.members.contains(member.name) { throw .unknownMember }
        guard let main = document["main_dc"]?.number32, let elements = document["keys"]?.array else {
            throw .malformed
        }
        // Each element has at most one key, so equal numbers mean that each has its own.
        guard elements.count == places.count else { throw .malformed }
        guard elements.count <= Self.maxKeys else { throw .tooManyKeys(limit: Self.maxKeys) }
        var keys: [Key] = []
        for (element, place) in zip(elements, places) { keys.append(try Self.key(element, place, text)) }
        try self.init(
            user: try document["user_id"].map(Self.user), mainDataCentre: main, keys: keys,
            isBot: try document["bot"].map { (value) throws(TelegramAccountError) in try Self.required(value.bool) },
            apiID: try document["api_id"].map { (value) throws(TelegramAccountError) in
                try Self.required(value.number32.flatMap { $0 > 0 ? $0 : nil })
            })
    }

    /// - Parameters:
    ///   - element: without the text of its key.
    ///   - place: of that text.
    private static func key(
        _ element: JSONValue, _ place: Range<Int>, _ text: Span<UInt8>
    ) throws(TelegramAccountError) -> Key {
        guard let members = element.members, let dataCentre = element["dc"]?.number32,
            let isLost = element["lost"]?.bool
        else { throw .malformed }
        guard members.count == 2 else { throw .unknownMember }
        let malformed = TelegramAccountError.malformedKey(dataCentre: dataCentre)
        let spelled: SecureBytes
        do { spelled = try JSONScanner.unescape(place, of: text) } catch { throw .malformed }
        guard spelled.count == Base64.encodedCount(AuthorizationKey.count),
            let bytes = spelled.withBytes({ Base64.decode($0) })
        else { throw malformed }
        do {
            return Key(dataCentre: dataCentre, held: HeldAuthorizationKey(try AuthorizationKey(bytes)), isLost: isLost)
        } catch {
            throw malformed
        }
    }

    private static func required<Value>(_ value: Value?) throws(TelegramAccountError) -> Value {
        guard let value else { throw .malformed }
        return value
    }

    /// A decimal number without zeros in front.
    private static func user(_ value: JSONValue) throws(TelegramAccountError) -> UInt64 {
        guard let text = value.string, let user = UInt64(text), String(user) == text else { throw .malformed }
        return user
    }
}

extension JSONValue {
    fileprivate var number32: Int32? { integer.flatMap { Int32(exactly: $0) } }
}
