package import Encodings
internal import Primitives
package import Ratchet
package import SecureMemory
package import SophaxChat

/// JSON that gives a chain key, in Base64 as one member. The key is in guarded memory only.
package enum ChainKeyText {
    /// Length of a key in bytes.
    package static let count = 32

    /// Reads a text without the key.
    /// - Returns: the other members, and where the key stands; nil if there is no such member.
    /// - Throws: `.malformed`.
    package static func cut(
        _ text: Span<UInt8>, _ name: String
    ) throws(FieldError) -> (rest: JSONValue, place: Range<Int>?) {
        do {
            let (rest, cuts) = try JSONScanner.parse(text, cutting: [[name]], limits: Fields.limits)
            return (rest, cuts[0])
        } catch {
            throw .malformed
        }
    }

    /// The key that stands there.
    /// - Throws: `.malformed`; `.field` for another length.
    package static func key(
        at place: Range<Int>, in text: Span<UInt8>, _ name: String
    ) throws(FieldError) -> HeldKey {
        let bytes: SecureBytes?
        do throws(JSONError) {
            bytes = try JSONScanner.unescape(place, of: text).withBytes { Base64.decode($0) }
        } catch {
            throw .malformed
        }
        guard let bytes, bytes.count == count else { throw .field(name) }
        return HeldKey(bytes)
    }

    /// Writes the members with the key among them: compact, with sorted names.
    package static func encoded(_ members: [(String, JSONValue?)], _ name: String, _ key: HeldKey) -> SecureBytes {
        let (bytes, offsets) = JSONValue.object(present: members).encoded(splitting: [[name]])
        var buffer = SecureBuffer(capacity: bytes.count + Base64.encodedCount(key.bytes.count))
        let text = bytes.span
        buffer.append(text.extracting(0..<offsets[0]))
        key.bytes.withBytes { Base64.encode($0, appendingTo: &buffer) }
        buffer.append(text.extracting(offsets[0]..<text.count))
        return buffer.finish()
    }
}
