internal import SecureMemory

/// Looks at everything in a property list that the root leads to. What a shared reference leads to is looked at once,
/// so the work is bounded by the length of the list.
struct PropertyListCheck {
    private enum State {
        case unseen
        /// It contains the object that is being looked at.
        case open
        /// How many arrays and dictionaries are in each other at most, and the bytes if each value were written
        /// wherever it is used.
        case done(height: Int, bytes: Int)
    }

    private let layout: PropertyListLayout
    private var states: [State]

    /// - Throws: all cases but `.tooLong`, `.notBinary` and those of the trailer, which the layout has checked.
    static func run(_ layout: PropertyListLayout, _ list: Span<UInt8>) throws(PropertyListError) {
        var check = PropertyListCheck(layout: layout, states: Array(repeating: .unseen, count: layout.objects))
        _ = try check.visit(layout.root, depth: 0, list)
    }

    /// - Parameter depth: how many arrays and dictionaries contain the object.
    private mutating func visit(
        _ number: Int, depth: Int, _ list: Span<UInt8>
    ) throws(PropertyListError) -> (height: Int, bytes: Int) {
        let object = try layout.object(number, in: list)
        switch states[number] {
        case .open: throw .cycle
        case .done(let height, let bytes):
            guard depth + height <= PropertyList.maxDepth else { throw .tooDeep(limit: PropertyList.maxDepth) }
            return (height, bytes)
        case .unseen: break
        }
        states[number] = .open
        var (height, bytes) = (0, 1)
        switch object.kind {
        case .array, .dictionary:
            guard depth < PropertyList.maxDepth else { throw .tooDeep(limit: PropertyList.maxDepth) }
            let isDictionary = object.kind == .dictionary
            for index in 0..<(isDictionary ? 2 : 1) * object.count {
                let element = try layout.reference(index, of: object, in: list)
                let inner = try visit(element, depth: depth + 1, list)
                height = max(height, inner.height)
                bytes += inner.bytes
                guard bytes <= PropertyList.maxExpandedCount else {
                    throw .expandsTooFar(limit: PropertyList.maxExpandedCount)
                }
            }
            height += 1
            if isDictionary { try checkKeys(object, list) }
        case .ascii, .utf16:
            var text = PropertyListText(object)
            while try text.next(in: list) != nil {}
            bytes += object.count
        case .integer:
            _ = try layout.integer(object, in: list)
            bytes += object.count
        case .data, .real, .date, .bool: bytes += object.count
        }
        states[number] = .done(height: height, bytes: bytes)
        return (height, bytes)
    }

    private func checkKeys(_ object: PropertyListLayout.Object, _ list: Span<UInt8>) throws(PropertyListError) {
        var keys: [PropertyListLayout.Object] = []
        keys.reserveCapacity(object.count)
        for index in 0..<object.count {
            let key = try layout.object(try layout.reference(index, of: object, in: list), in: list)
            guard key.kind == .ascii || key.kind == .utf16 else { throw .keyNotText }
            keys.append(key)
        }
        // The texts were checked before.
        keys.sort { ((try? PropertyListText.order($0, $1, in: list)) ?? 0) < 0 }
        for (left, right) in zip(keys, keys.dropFirst()) {
            guard try PropertyListText.order(left, right, in: list) != 0 else { throw .duplicateKey }
        }
    }
}
