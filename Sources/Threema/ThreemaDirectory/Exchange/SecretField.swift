internal import Encodings
internal import HTTP
internal import SecureMemory

/// A field of a request whose text never leaves guarded memory before it is sent.
final class SecretField: Sendable {
    private let name: String
    private let text: SecureBytes

    /// - Parameter text: UTF-8.
    init(_ name: String, _ text: borrowing SecureBytes) {
        self.name = name
        self.text = text.withBytes { SecureBytes(copying: $0) }
    }

    /// The JSON of an object with this field.
    func upload(in object: JSONValue) -> HTTPUpload {
        let (rest, offsets) = object.encoded(splitting: [[name]])
        var body = SecureBuffer(capacity: rest.count + JSONValue.longestEscape * text.count)
        body.append(rest.span.extracting(0..<offsets[0]))
        text.withBytes { JSONValue.escape($0, appendingTo: &body) }
        body.append(rest.span.extracting(offsets[0]..<rest.count))
        return Body(body.finish()).upload
    }

    private final class Body: Sendable {
        private let bytes: SecureBytes

        init(_ bytes: consuming SecureBytes) { self.bytes = bytes }

        var upload: HTTPUpload {
            HTTPUpload(count: bytes.count) { [self] offset, buffer in
                let count = min(buffer.count, bytes.count - offset)
                bytes.withBytes { buffer.copy($0.extracting(offset..<offset + count)) }
                return count
            }
        }
    }
}
