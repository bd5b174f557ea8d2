internal import Encodings
internal import SecureMemory

/// Base64 as TextSecure's clients and servers read it: the standard alphabet, with the padding or without, and with
/// line breaks, spaces and tabs anywhere, because some clients wrapped lines. All else is refused, also bits that are
/// set and not part of a byte.
enum LenientBase64 {
    /// Reads a secret in guarded memory.
    /// - Returns: nil if the text is not Base64.
    static func decode(_ text: Span<UInt8>) -> SecureBytes? {
        var padded = SecureBuffer(capacity: text.count)
        for index in text.indices where !ASCII.isBlank(text[index]) { padded.append(text[index]) }
        var whole = padded.finish()
        let isPadded = whole.withBytes { !$0.isEmpty && ASCII.isSame($0[$0.count - 1], "=") }
        if !isPadded {
            var padded = SecureBuffer(capacity: whole.count + 3)
            padded.append(whole)
            while !padded.count.isMultiple(of: 4) { padded.append(UInt8(ascii: "=")) }
            whole = padded.finish()
        }
        return whole.withBytes(Base64.decode)
    }

    /// Reads bytes that are not secret.
    /// - Returns: nil if the text is not Base64.
    static func decodePublic(_ text: String) -> [UInt8]? {
        let characters = text.utf8.filter { !ASCII.isBlank($0) }
        let isPadded = characters.last == UInt8(ascii: "=")
        return Base64.decodePublic(characters.span, isPadded: isPadded)
    }
}
