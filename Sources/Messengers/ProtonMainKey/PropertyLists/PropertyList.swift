public import SecureMemory

/// A binary property list (`bplist00`) in guarded memory: what the app encrypts. Its contents leave by methods named
/// `reveal…`, or into guarded memory.
public struct PropertyList: ~Copyable, Sendable {
    /// Longest list in bytes.
    public static let maxCount = 65_536
    /// Most values in a list, arrays and dictionaries included.
    public static let maxObjects = 4096
    /// Most arrays and dictionaries in each other.
    public static let maxDepth = 16
    /// Most bytes if values that are used several times were written wherever they are used.
    public static let maxExpandedCount = 1 << 20
    /// The integers that a list can hold.
    public static let integers: ClosedRange<Int128> = Int128(Int64.min)...Int128(UInt64.max)

    /// One value of a list.
    public struct Object: Hashable, Sendable {
        let number: Int
    }

    /// The types of values. `kind(of:)` tells which `reveal…` a value has; another one ends the process.
    public enum Kind: Hashable, Sendable {
        case string, data, integer, real, bool, date, array, dictionary
    }

    /// The list as it is stored.
    public let bytes: SecureBytes
    private let layout: PropertyListLayout

    /// Reads a list. All of it is checked here, so that no other method can fail.
    /// - Parameter bytes: any bytes.
    public init(reading bytes: consuming SecureBytes) throws(PropertyListError) {
        layout = try bytes.withBytes { (list) throws(PropertyListError) in
            let layout = try PropertyListLayout(list)
            try PropertyListCheck.run(layout, list)
            return layout
        }
        self.bytes = bytes
    }

    /// The list as it is stored, without a copy.
    consuming func consumeBytes() -> SecureBytes { bytes }

    /// The outermost value, of any type. All others are reached from it.
    public var root: Object { Object(number: layout.root) }

    /// The type of a value.
    public borrowing func kind(of object: Object) -> Kind {
        switch found(object).kind {
        case .ascii, .utf16: .string
        case .data: .data
        case .integer: .integer
        case .real: .real
        case .bool: .bool
        case .date: .date
        case .array: .array
        case .dictionary: .dictionary
        }
    }

    /// The elements of an array, in their order.
    public borrowing func elements(of array: Object) -> [Object] {
        let object = found(array)
        precondition(object.kind == .array)
        return references(0..<object.count, object)
    }

    /// The keys of a dictionary, which are strings, and the values, in the order of the list.
    public borrowing func members(of dictionary: Object) -> [(key: Object, value: Object)] {
        let object = found(dictionary)
        precondition(object.kind == .dictionary)
        let values = references(object.count..<2 * object.count, object)
        return Array(zip(references(0..<object.count, object), values)).map { (key: $0.0, value: $0.1) }
    }

    /// The content of a string, as UTF-8, or of data.
    public borrowing func content(of object: Object) -> SecureBytes {
        let object = found(object)
        switch object.kind {
        case .data:
            return bytes.withBytes { SecureBytes(copying: $0.extracting(object.start..<object.start + object.count)) }
        case .ascii, .utf16:
            // A unit of 2 bytes becomes up to 3.
            var buffer = SecureBuffer(capacity: object.kind == .ascii ? object.count : object.count / 2 * 3)
            bytes.withBytes { list in
                checked { () throws(PropertyListError) in
                    try PropertyListText(object).append(to: &buffer, from: list)
                }
            }
            return buffer.finish()
        default: preconditionFailure("no string and no data")
        }
    }

    /// The number of a value of the type `integer`, in `integers`. Any other value ends the process.
    public borrowing func revealInteger(_ object: Object) -> Int128 {
        let object = found(object)
        precondition(object.kind == .integer)
        return bytes.withBytes { list in
            checked { () throws(PropertyListError) in try layout.integer(object, in: list) }
        }
    }

    /// The number of a value of the type `real`. Any other value ends the process.
    public borrowing func revealReal(_ object: Object) -> Double {
        let object = found(object)
        precondition(object.kind == .real)
        return double(object)
    }

    /// A date, in seconds since the beginning of 2001 (UTC). It may be any number.
    public borrowing func revealDate(_ object: Object) -> Double {
        let object = found(object)
        precondition(object.kind == .date)
        return double(object)
    }

    /// The truth of a value of the type `bool`. Any other value ends the process.
    public borrowing func revealBool(_ object: Object) -> Bool {
        guard case .bool(let value) = found(object).kind else { preconditionFailure("no truth value") }
        return value
    }

    private borrowing func double(_ object: PropertyListLayout.Object) -> Double {
        bytes.withBytes { list in
            let bits = list.bigEndian(at: object.start, count: object.count)
            return object.count == 4
                ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : Double(bitPattern: bits)
        }
    }

    private borrowing func found(_ object: Object) -> PropertyListLayout.Object {
        bytes.withBytes { list in
            checked { () throws(PropertyListError) in try layout.object(object.number, in: list) }
        }
    }

    private borrowing func references(_ range: Range<Int>, _ object: PropertyListLayout.Object) -> [Object] {
        bytes.withBytes { list in
            var objects: [Object] = []
            objects.reserveCapacity(range.count)
            for index in range {
                objects.append(
                    Object(
                        number: checked { () throws(PropertyListError) in
                            try layout.reference(index, of: object, in: list)
                        }))
            }
            return objects
        }
    }

    /// Runs what the check of the whole list has shown to succeed.
    private borrowing func checked<Result>(_ work: () throws(PropertyListError) -> Result) -> Result {
        do { return try work() } catch { preconditionFailure("a value of another list") }
    }
}
