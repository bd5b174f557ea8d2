internal import Encodings
internal import SecureMemory

/// Keys of 32 bytes by number, in one piece of guarded memory: message keys that were skipped, or prekeys.
///
/// The numbers ascend. A change makes other memory; the old one is wiped when nothing uses it any more.
struct KeyTable: Sendable {
    /// Length of a key in bytes.
    static let keyCount = 32

    /// A key without its bytes.
    struct Entry: Equatable, Sendable {
        let number: UInt32
        /// When the key was stored.
        let stored: Timestamp
    }

    private(set) var entries: [Entry] = []
    /// The keys, in the order of the entries. Nil without entries.
    private var keys: HeldKey?

    init() {}

    /// - Parameters:
    ///   - entries: with ascending numbers.
    ///   - keys: 32 bytes for each.
    init(entries: [Entry], keys: Span<UInt8>) {
        precondition(keys.count == entries.count * Self.keyCount)
        self.entries = entries
        self.keys = entries.isEmpty ? nil : HeldKey(keys)
    }

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }

    /// Lends the keys, 32 bytes for each entry.
    func withKeys<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        guard let keys else { return body(Span()) }
        return keys.bytes.withBytes { body($0) }
    }

    func contains(_ number: UInt32) -> Bool { index(of: number) != nil }

    /// A copy of the key with this number; nil if there is none.
    func key(_ number: UInt32) -> HeldKey? {
        guard let index = index(of: number), let keys else { return nil }
        return keys.bytes.withBytes { HeldKey($0.extracting(Self.range(index))) }
    }

    /// Appends keys with consecutive numbers from `first` on, which is above all others.
    mutating func append(_ added: Span<UInt8>, from first: UInt32, at now: Timestamp) {
        let number = added.count / Self.keyCount
        guard number > 0 else { return }
        precondition(entries.last.map { $0.number < first } ?? true)
        replaceKeys(capacity: (count + number) * Self.keyCount) { buffer, old in
            buffer.append(old)
            buffer.append(added.extracting(0..<number * Self.keyCount))
        }
        entries += (0..<UInt32(number)).map { Entry(number: first + $0, stored: now) }
    }

    /// Inserts a key, or replaces the one with its number.
    mutating func insert(_ key: borrowing SecureBytes, as number: UInt32, at now: Timestamp) {
        precondition(key.count == Self.keyCount)
        removeAll { $0.number == number }
        let index = entries.firstIndex { $0.number > number } ?? entries.count
        let middle = index * Self.keyCount
        replaceKeys(capacity: (count + 1) * Self.keyCount) { buffer, old in
            buffer.append(old.extracting(0..<middle))
            buffer.append(key)
            buffer.append(old.extracting(middle..<old.count))
        }
        entries.insert(Entry(number: number, stored: now), at: index)
    }

    /// Removes the key with this number.
    mutating func remove(_ number: UInt32) { removeAll { $0.number == number } }

    /// Removes the first keys.
    mutating func removeFirst(_ number: Int) {
        if number >= count { return self = KeyTable() }
        let limit = entries[number].number
        removeAll { $0.number < limit }
    }

    /// Removes keys that were stored so long ago. A clock that went back removes none.
    mutating func expire(_ age: Duration, at now: Timestamp) { removeAll { now - $0.stored >= age } }

    /// Removes all keys of which this is true. Without any, the memory stays.
    mutating func removeAll(where isRemoved: (Entry) -> Bool) {
        guard entries.contains(where: isRemoved) else { return }
        let kept = entries.indices.filter { !isRemoved(entries[$0]) }
        replaceKeys(capacity: kept.count * Self.keyCount) { buffer, old in
            for index in kept { buffer.append(old.extracting(Self.range(index))) }
        }
        entries.removeAll(where: isRemoved)
        if entries.isEmpty { keys = nil }
    }

    private mutating func replaceKeys(capacity: Int, _ fill: (inout SecureBuffer, Span<UInt8>) -> Void) {
        var buffer = SecureBuffer(capacity: capacity)
        withKeys { fill(&buffer, $0) }
        keys = HeldKey(buffer.finish())
    }

    private func index(of number: UInt32) -> Int? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].number == number ? low : nil
    }

    private static func range(_ index: Int) -> Range<Int> { index * keyCount..<(index + 1) * keyCount }
}
