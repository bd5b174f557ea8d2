internal import SecureMemory

// The stored form, little-endian:
//
//   offset  length  meaning
//        0       1  1, the form
//        1       4  N, the capacity
//        5       4  number of IDs, at most N
//        9     8·n  the IDs, in ascending order

/// The IDs of the last N messages of the other side, by which a repeated message is recognised.
///
/// It belongs to one key and one session. Store it with the session, or begin another session: an empty window accepts
/// every message again.
public struct ReplayWindow: Equatable, Sendable {
    /// What the Desktop app stores.
    public static let usualCapacity = 400
    /// Most IDs that a window can store.
    public static let maxCapacity = 65_536

    /// Why a message is ignored, or that it is not.
    public enum Judgement: Equatable, Sendable {
        case new
        /// The ID is in the window.
        case duplicate
        /// The ID is lower than all in the window, so it may have been there.
        case olderThanWindow
    }

    /// Most IDs in the window.
    public let capacity: Int
    /// In ascending order.
    private(set) var ids: [MessageID] = []

    private static let form: UInt8 = 1
    private static let headerCount = 9

    /// An empty window, which accepts any message.
    /// - Parameter capacity: 1 to `maxCapacity`.
    public init(capacity: Int = Self.usualCapacity) {
        precondition((1...Self.maxCapacity).contains(capacity))
        self.capacity = capacity
    }

    /// How many IDs are stored.
    public var count: Int { ids.count }

    /// Whether a message would be accepted. The window does not change.
    ///
    /// An ID below all stored ones is refused also if the window is not full, as the protocol says. The Desktop app
    /// refuses it only if the window is full.
    public func judge(_ id: MessageID) -> Judgement {
        let place = place(of: id)
        if place < ids.count, ids[place] == id { return .duplicate }
        return place == 0 && !ids.isEmpty ? .olderThanWindow : .new
    }

    /// Accepts a message if it is new, and forgets the lowest ID if the window has become too large. Call it after the
    /// message was found to be authentic, because a forged ID would displace others.
    public mutating func insert(_ id: MessageID) -> Judgement {
        let judgement = judge(id)
        guard judgement == .new else { return judgement }
        ids.insert(id, at: place(of: id))
        if ids.count > capacity { ids.removeFirst() }
        return .new
    }

    /// The index of the first stored ID that is not lower.
    private func place(of id: MessageID) -> Int {
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The bytes to store: 9, and 8 for each ID.
    public var encoded: [UInt8] {
        var bytes = [Self.form]
        bytes.append(number: UInt32(capacity))
        bytes.append(number: UInt32(ids.count))
        for id in ids { bytes.append(number: id.number) }
        return bytes
    }

    /// Reads a stored window.
    /// - Throws: `.unknownForm`, `.malformed`.
    public init(decoding bytes: Span<UInt8>) throws(SessionRecordError) {
        guard bytes.count > 0 else { throw .malformed }
        guard bytes[0] == Self.form else { throw .unknownForm(bytes[0]) }
        guard bytes.count >= Self.headerCount else { throw .malformed }
        let capacity = Int(bytes.number32(at: 1))
        let count = Int(bytes.number32(at: 5))
        guard (1...Self.maxCapacity).contains(capacity), count <= capacity,
            bytes.count == Self.headerCount + 8 * count
        else { throw .malformed }
        self.init(capacity: capacity)
        ids.reserveCapacity(count)
        for index in 0..<count {
            let id = MessageID(bytes.number64(at: Self.headerCount + 8 * index))
            if let last = ids.last, last >= id { throw .malformed }
            ids.append(id)
        }
    }
}

/// Why a stored state was not read.
public enum SessionRecordError: Error, Equatable, Sendable {
    /// It is of a later version of this library.
    case unknownForm(UInt8)
    case malformed
}
