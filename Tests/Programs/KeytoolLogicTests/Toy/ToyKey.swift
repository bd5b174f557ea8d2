import Encodings
import SecureMemory

// A messenger that does not exist, as far as a room of its own would know it: a key file of 16 bytes.

/// The first 4 bytes of a key in hexadecimal.
struct ToyID: Equatable, Sendable, CustomStringConvertible {
    let description: String

    init?(_ text: String) {
        guard let bytes = Hex.decode(text), bytes.count == 4 else { return nil }
        description = Hex.encode(bytes)
    }
}

struct ToyKey: ~Copyable, Sendable {
    static let count = 16

    let bytes: SecureBytes
    let id: ToyID

    /// - Returns: nil for another length.
    init?(_ content: Span<UInt8>) {
        guard content.count == Self.count else { return nil }
        bytes = SecureBytes(copying: content)
        id = ToyID(Hex.encode(content.extracting(first: 4).revealBytes()))!
    }
}
