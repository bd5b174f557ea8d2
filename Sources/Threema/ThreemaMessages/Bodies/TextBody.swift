internal import SecureMemory

// Text (0x01, 0x41): UTF-8, nothing else. It may be empty.

enum TextBody {
    static func encode(_ text: String, into body: inout BodyWriter) throws(MessageBodyError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= MessageLimits.textBytes else {
            throw .tooLong(limit: MessageLimits.textBytes, actual: bytes.count)
        }
        try body.append(bytes)
    }

    static func decode(_ bytes: Span<UInt8>) throws(MessageBodyError) -> String {
        guard let text = bytes.text() else { throw .notUnicode }
        return text
    }
}
