/// Names of members that were read, so that one that repeats is made a `String` once.
///
/// A fixed number of places, each for one name: what does not fit is forgotten, and no choice of names makes a look
/// cost more than one comparison.
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

/// Tells whether a name of an object is there twice, as its bytes after unescaping.
///
/// Documents that were written in order of their names need one comparison a name. After a name that is not greater
/// than the one before, each is compared with all of them if they are few, and looked up in a set if they are many
/// (hashed with a seed that nobody outside this process knows): no document makes it cost the square of its names.
struct UniqueNames {
    /// At most so many names are compared one by one.
    private static let few = 16

    /// Where the last name stands, as long as each one was greater than the one before and had no escape.
    private var last: Range<Int>?
    private var isAscending = true
    /// Names that are not among the members: those of strings that were cut.
    private var cut: [String] = []
    private var hashed: Set<[UInt8]> = []

    /// - Parameter members: that were read before it.
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

    /// The member whose name was last inserted is not going to be among the members.
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
    func hasSameBytes(as other: String) -> Bool {
        let (left, right) = (utf8.span, other.utf8.span)
        guard left.count == right.count else { return false }
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }

    /// Whether the UTF-8 bytes of this come before those of the other one.
    func precedes(_ other: String) -> Bool {
        let (left, right) = (utf8.span, other.utf8.span)
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return left[index] < right[index]
        }
        return left.count < right.count
    }
}
