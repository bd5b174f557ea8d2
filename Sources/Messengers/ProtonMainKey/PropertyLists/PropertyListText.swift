internal import SecureMemory

/// The characters of a text object, one after the other, so that a text is compared and converted without a copy.
struct PropertyListText {
    private var position: Int
    private let end: Int
    private let isUTF16: Bool

    /// - Parameter object: of kind `ascii` or `utf16`.
    init(_ object: PropertyListLayout.Object) {
        position = object.start
        end = object.start + object.count
        isUTF16 = object.kind == .utf16
    }

    /// The next character; nil at the end.
    /// - Throws: `.invalidText` for a byte above 127, and for a surrogate without the other one.
    mutating func next(in list: Span<UInt8>) throws(PropertyListError) -> UInt32? {
        guard position < end else { return nil }
        guard isUTF16 else {
            defer { position += 1 }
            guard list[position] < 0x80 else { throw .invalidText }
            return UInt32(list[position])
        }
        let unit = UInt32(list.bigEndian(at: position, count: 2))
        position += 2
        guard unit & 0xf800 == 0xd800 else { return unit }
        guard unit < 0xdc00, position < end else { throw .invalidText }
        let low = UInt32(list.bigEndian(at: position, count: 2))
        guard low & 0xfc00 == 0xdc00 else { throw .invalidText }
        position += 2
        return 0x1_0000 + (unit - 0xd800) << 10 + (low - 0xdc00)
    }

    /// Compares the characters of two texts: negative if the left one comes first, 0 if they are equal.
    static func order(
        _ left: PropertyListLayout.Object, _ right: PropertyListLayout.Object, in list: Span<UInt8>
    ) throws(PropertyListError) -> Int {
        var (left, right) = (PropertyListText(left), PropertyListText(right))
        while true {
            let (one, other) = (try left.next(in: list), try right.next(in: list))
            guard let one else { return other == nil ? 0 : -1 }
            guard let other else { return 1 }
            if one != other { return one < other ? -1 : 1 }
        }
    }

    /// Appends the text as UTF-8, at most 3 bytes for each unit of the object.
    consuming func append(to buffer: inout SecureBuffer, from list: Span<UInt8>) throws(PropertyListError) {
        while let character = try next(in: list) {
            let low = { (shift: UInt32) in UInt8(0x80 | character >> shift & 0x3f) }
            switch character {
            case 0..<0x80: buffer.append(UInt8(character))
            case 0x80..<0x800:
                buffer.append(UInt8(0xc0 | character >> 6))
                buffer.append(low(0))
            case 0x800..<0x1_0000:
                buffer.append(UInt8(0xe0 | character >> 12))
                buffer.append(low(6))
                buffer.append(low(0))
            default:
                buffer.append(UInt8(0xf0 | character >> 18))
                buffer.append(low(12))
                buffer.append(low(6))
                buffer.append(low(0))
            }
        }
    }
}
