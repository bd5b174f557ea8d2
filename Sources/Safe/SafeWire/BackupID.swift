internal import Encodings
internal import SecureMemory

/// The id of a Safe backup on its server: 32 bytes, the first half of the Safe master key, written as 64 lower-case
/// hexadecimal characters.
///
/// It is not a key, but it should not be published: with a known Threema ID it lets its holder test guessed Safe
/// passwords.
public struct BackupID: Hashable, Sendable {
    /// Length in bytes.
    public static let count = 32

    /// 64 lower-case hexadecimal characters: the file name on the server.
    public let hex: String

    /// - Parameter bytes: 32 bytes.
    public init(_ bytes: Span<UInt8>) {
        precondition(bytes.count == Self.count)
        hex = Hex.encode(bytes)
    }

    /// - Parameter hex: 64 lower-case hexadecimal characters; nil for any other text.
    public init?(hex: String) {
        guard Self.isHex(hex) else { return nil }
        self.hex = hex
    }

    /// Whether a text is 64 lower-case hexadecimal characters.
    package static func isHex(_ text: String) -> Bool {
        text.utf8.count == 2 * count && text.utf8.allSatisfy(isDigit)
    }

    /// - Parameter name: as `hex`, in bytes; nil for any other text.
    package init?(name: Span<UInt8>) {
        guard Self.isName(name) else { return nil }
        hex = name.revealText()
    }

    /// Whether bytes are 64 lower-case hexadecimal characters.
    package static func isName(_ name: Span<UInt8>) -> Bool {
        guard name.count == 2 * count else { return false }
        for place in name.indices where !isDigit(name[place]) { return false }
        return true
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    /// Another id whose first byte is that of `id`.
    /// - Parameters:
    ///   - id: gives the first byte.
    ///   - rest: 31 bytes.
    package init(sharingFirstByteOf id: BackupID, _ rest: Span<UInt8>) {
        precondition(rest.count == Self.count - 1)
        hex = id.hex.prefix(2) + Hex.encode(rest)
    }
}
