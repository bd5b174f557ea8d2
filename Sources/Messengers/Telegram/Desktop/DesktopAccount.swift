internal import SecureMemory

// The data of an account's file is one byte array, encrypted under the local key:
//
//     4b (4) ‖ length (4) ‖ the rest:
//     ffffffffffffffff (8) ‖ user (8) ‖ main data centre (4)    or, of older apps: user (4) ‖ main data centre (4)
//     number of keys (4) ‖ for each: data centre (4) ‖ authorization key (256)
//     number of keys to destroy (4) ‖ for each: data centre (4) ‖ authorization key (256)

/// The keys of one account in the Desktop app.
public struct DesktopAccount: Equatable, Sendable {
    /// An authorization key and the data centre that it is for.
    public struct Key: Equatable, Sendable {
        /// The data centre's number. Those of media connections are large numbers.
        public let dataCentre: Int32
        /// The authorization key for this data centre, 256 bytes.
        public let held: HeldAuthorizationKey
    }

    /// Most keys in a list. The app has a key for each data centre and its media connections.
    public static let maxKeys = 64

    /// The user's number at Telegram.
    public let user: UInt64
    /// The data centre that has the account.
    public let mainDataCentre: Int32
    /// The keys in use, one for each data centre that the app has talked to.
    public let keys: [Key]
    /// Keys that the app has replaced, but not yet revoked: they may still open the account.
    public let keysToDestroy: [Key]

    private static let block: UInt32 = 0x4b
    private static let longForm = UInt64.max

    /// Opens an account's file.
    /// - Throws: `.otherLocalKey`, `.unknownBlock`, `.malformed`.
    public init(_ file: DesktopFile, _ key: borrowing DesktopLocalKey) throws(DesktopError) {
        try self.init(file, key, maxKeys: 2 * Self.maxKeys)
    }

    /// - Parameter maxKeys: most keys in both lists. A system has room for some thousands of guarded allocations.
    init(_ file: DesktopFile, _ key: borrowing DesktopLocalKey, maxKeys: Int) throws(DesktopError) {
        let data = file.data
        let bytes = data.span
        var reader = DesktopReader()
        let sealed = try reader.array(bytes)
        try reader.finish(bytes)
        let payload = try key.open(bytes.extracting(sealed))
        self = try payload.withBytes { (payload) throws(DesktopError) in try Self(payload: payload, maxKeys: maxKeys) }
    }

    /// Reads what an account's file contains when it is decrypted.
    package init(payload: Span<UInt8>, maxKeys: Int = 2 * maxKeys) throws(DesktopError) {
        var outer = DesktopReader()
        let block = try outer.number32(payload)
        guard block == Self.block else { throw .unknownBlock(block) }
        let content = payload.extracting(try outer.array(payload))
        try outer.finish(payload)
        var reader = DesktopReader()
        let first = try reader.number64(content)
        if first == Self.longForm {
            user = try reader.number64(content)
            mainDataCentre = Int32(bitPattern: try reader.number32(content))
        } else {
            user = first >> 32
            mainDataCentre = Int32(truncatingIfNeeded: first)
        }
        keys = try Self.keys(content, &reader, limit: maxKeys)
        keysToDestroy = try Self.keys(content, &reader, limit: maxKeys - keys.count)
        try reader.finish(content)
    }

    private static func keys(
        _ content: Span<UInt8>, _ reader: inout DesktopReader, limit: Int
    ) throws(DesktopError) -> [Key] {
        var keys: [Key] = []
        let limit = min(limit, maxKeys)
        for _ in 0..<(try reader.count(of: 4 + AuthorizationKey.count, limit: limit, content)) {
            let dataCentre = Int32(bitPattern: try reader.number32(content))
            let place = try reader.take(AuthorizationKey.count, content)
            let key: AuthorizationKey
            do { key = try AuthorizationKey(copying: content.extracting(place)) } catch { throw .malformed }
            keys.append(Key(dataCentre: dataCentre, held: HeldAuthorizationKey(key)))
        }
        return keys
    }
}
