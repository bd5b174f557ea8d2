internal import Encodings

/// Where a Safe backup lies on its server: 32 bytes, the first half of the Safe master key, written as
/// 64 lower-case hexadecimal characters.
///
/// Not a key, but not public either: for a known Threema ID it tests a guessed Safe password.
public struct BackupID: Equatable, Sendable {
    /// Length in bytes.
    public static let count = 32

    /// 64 lower-case hexadecimal characters: the file name on the server.
    public let hex: String

    /// - Parameter bytes: 32 bytes.
    public init(_ bytes: Span<UInt8>) {
        precondition(bytes.count == Self.count)
        hex = Hex.encode(bytes)
    }

    /// Whether a text may be one: 64 lower-case hexadecimal characters.
    package static func isHex(_ text: String) -> Bool {
        text.utf8.count == 2 * count && text.lowercased() == text && Hex.decode(text) != nil
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
