internal import Encodings
internal import SecureMemory

/// Inserts private key and writer info into the JSON of a profile, without parsing it into a `JSONValue`.
///
/// Parsing and encoding a large profile takes several times as long as encrypting it. The result is equal to that of
/// `DocumentSecrets.reveal`, byte for byte.
enum DocumentText {
    /// The JSON that is encrypted.
    /// - Parameters:
    ///   - content: the JSON from `Profile.revealContent`.
    ///   - clientKey: 32 bytes.
    ///   - writerInfo: the member `keytool` and its value as JSON; empty to omit it.
    /// - Returns: nil if the content is not canonical, or has a private key or writer info. Then it has to be parsed.
    static func reveal(_ content: Span<UInt8>, _ clientKey: Span<UInt8>, writerInfo: [UInt8]) -> SecureBytes? {
        guard let root = JSONOutline(of: content), root.values + stampValues <= JSONScanner.Limits().values,
            root.member("keytool", in: content) == nil, let user = root.member("user", in: content)?.value,
            let members = JSONOutline(of: content.extracting(user)),
            members.member("privatekey", in: content.extracting(user)) == nil
        else { return nil }
        let key = Insertion("privatekey", into: members, of: content.extracting(user), at: user.lowerBound)
        let stampPlace = Insertion("keytool", into: root, of: content, at: 0)
        let added = Base64.encodedCount(clientKey.count) + 32 + writerInfo.count
        var json = SecureBuffer(capacity: content.count + added)
        // "keytool" comes before "user", but this code does not depend on it.
        let isStampFirst = stampPlace.offset <= key.offset
        var written = 0
        for isStamp in [isStampFirst, !isStampFirst] where !isStamp || !writerInfo.isEmpty {
            let place = isStamp ? stampPlace : key
            json.append(content.extracting(written..<place.offset))
            written = place.offset
            if place.needsCommaBefore { json.append(UInt8(ascii: ",")) }
            if isStamp {
                json.append(writerInfo.span)
            } else {
                json.append(Array(#""privatekey":""#.utf8).span)
                Base64.encode(clientKey, appendingTo: &json)
                json.append(UInt8(ascii: "\""))
            }
            if place.needsCommaAfter { json.append(UInt8(ascii: ",")) }
        }
        json.append(content.extracting(written..<content.count))
        return json.finish()
    }

    /// The object and its three members.
    private static let stampValues = 4

    /// The place where a member is inserted among others.
    private struct Insertion {
        let offset: Int
        let needsCommaBefore: Bool
        let needsCommaAfter: Bool

        /// - Parameter start: of the object in the whole text.
        init(_ name: StaticString, into outline: JSONOutline, of object: Span<UInt8>, at start: Int) {
            if let next = outline.member(after: name, in: object) {
                offset = start + next.range.lowerBound
                (needsCommaBefore, needsCommaAfter) = (false, true)
            } else {
                // Before the closing brace.
                offset = start + object.count - 1
                (needsCommaBefore, needsCommaAfter) = (!outline.members.isEmpty, false)
            }
        }
    }
}
