/// The ephemeral keys that have begun a session, kept as long as the signed prekey that they were used with. None is
/// forgotten earlier, or anyone who fills the store could replay an old one. A store without room refuses sessions
/// instead. Strangers cost nothing to make, and the last-resort key serves all of them: so they are refused at 8000 keys
/// and contacts at 10,000.
public struct SeenEphemerals: Equatable, Sendable {
    /// Most keys that are stored. With so many, every session is refused.
    public static let limit = 10_000
    /// Places of these that strangers cannot take.
    public static let keptForContacts = 2000
    struct Entry: Equatable, Sendable {
        let prekey: UInt32
        let key: [UInt8]
    }
    private(set) var entries: [Entry] = []
    private var keys: Set<[UInt8]> = []

    init() {}

    /// Whether it has begun a session.
    public func contains(_ key: [UInt8]) -> Bool { keys.contains(key) }
    /// Whether no other key fits.
    public var isFull: Bool { entries.count >= Self.limit }
    /// Whether no other key of a stranger fits.
    public var isFullForStrangers: Bool { entries.count >= Self.limit - Self.keptForContacts }

    /// - Returns: false if the key is there already, or no other one fits.
    mutating func insert(_ key: [UInt8], for prekey: UInt32) -> Bool {
        guard !isFull, keys.insert(key).inserted else { return false }
        entries.append(Entry(prekey: prekey, key: key))
        return true
    }

    mutating func forget(_ prekey: UInt32) {
        entries.removeAll { $0.prekey == prekey }
        keys = Set(entries.map(\.key))
    }
}
