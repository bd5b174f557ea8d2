/// Caches the names of members, so that a repeated name is decoded once.
///
/// It has a fixed number of slots for one name each; a new name replaces the one in its slot. So a lookup costs one
/// comparison, whatever the names are.
struct NameCache {
    private static let places = 64

    private var entries = [(place: Range<Int>, text: String)](repeating: (0..<0, ""), count: places)

    /// The text of a name without escapes.
    /// - Parameter offset: of the name, for the error.
    mutating func text(
        at place: Range<Int>, of bytes: Span<UInt8>, offset: Int
    ) throws(JSONError) -> String {
        guard !place.isEmpty else { return "" }
        let ends = 7 * Int(bytes[place.lowerBound]) + Int(bytes[place.upperBound - 1])
        let index = (31 * place.count + ends) % Self.places
        if areSame(entries[index].place, place, bytes) { return entries[index].text }
        let text = try JSONScanner.text(bytes.extracting(place), offset: offset)
        entries[index] = (place, text)
        return text
    }
}

/// Finds duplicate names in an object. Names are compared as bytes, after unescaping.
///
/// If the names are in ascending order, each costs one comparison. Otherwise up to 16 names are compared one by one,
/// and more of them are looked up in a set. The set is hashed with a random seed of this process, so an attacker cannot
/// make the cost quadratic.
struct UniqueNames {
    /// Most names that are compared one by one.
    private static let few = 16

    /// The place of the last name, while the names are ascending and have no escapes.
    private var last: Range<Int>?
    private var isAscending = true
    /// Names of strings that were cut, which are not among the members.
    private var cut: [String] = []
    private var hashed: Set<[UInt8]> = []

    /// - Parameter members: those that were read before.
    /// - Returns: false if the name was there before.
    mutating func insert(_ name: JSONScanner.Name, after members: [JSONValue.Member], _ bytes: Span<UInt8>) -> Bool {
        if isAscending, let place = name.place, last.map({ precedes($0, place, bytes) }) ?? true {
            last = place
            return true
        }
        isAscending = false
        guard members.count + cut.count > Self.few else {
            return !members.contains { $0.name.hasSameBytes(as: name.text) }
                && !cut.contains { $0.hasSameBytes(as: name.text) }
        }
        if hashed.isEmpty { hashed = Set((members.map(\.name) + cut).map { Array($0.utf8) }) }
        return hashed.insert(Array(name.text.utf8)).inserted
    }

    /// Tells that the last inserted name belongs to a string that was cut.
    mutating func leaveOut(_ name: JSONScanner.Name) { cut.append(name.text) }
}

/// Whether the bytes at two places are the same.
private func areSame(_ left: Range<Int>, _ right: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    for index in 0..<left.count where bytes[left.lowerBound + index] != bytes[right.lowerBound + index] {
        return false
    }
    return true
}

/// Whether the bytes at one place are less than those at another one.
func precedes(_ left: Range<Int>, _ right: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
    for index in 0..<min(left.count, right.count) {
        let (left, right) = (bytes[left.lowerBound + index], bytes[right.lowerBound + index])
        if left != right { return left < right }
    }
    return left.count < right.count
}

extension String {
    /// Whether both are the same UTF-8 bytes; `==` takes canonically equivalent texts for equal.
    package func hasSameBytes(as other: String) -> Bool {
        let (left, right) = (utf8.span, other.utf8.span)
        guard left.count == right.count else { return false }
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }

    /// Whether the UTF-8 bytes come before those of `other`.
    func precedes(_ other: String) -> Bool {
        let (left, right) = (utf8.span, other.utf8.span)
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return left[index] < right[index]
        }
        return left.count < right.count
    }
}
