/// A JSON value that loses nothing: members keep their order, numbers keep their spelling.
public enum JSONValue: Sendable {
    case null
    case bool(Bool)
    /// The literal as written, for example `1.0`, `1e400` or a number of 40 digits.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// A name with its value.
    public struct Member: Sendable {
        /// The name without escapes. Names are compared byte by byte.
        public var name: String
        /// The value of the member.
        public var value: JSONValue

        /// Creates a member of an object.
        public init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// An integer, spelled in decimal.
    public static func number(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }

    /// The member of that name; nil if it is missing, or if this is not an object.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.hasSameBytes(as: name) }?.value
    }

    /// The text of a string, nil for any other value.
    public var string: String? { if case .string(let text) = self { text } else { nil } }
    /// True or false, nil for any other value.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The elements of an array, nil for any other value.
    public var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
    /// The members of an object, nil for any other value.
    public var members: [Member]? { if case .object(let members) = self { members } else { nil } }

    /// The number as an integer; nil if it is spelled with a fraction or exponent, or exceeds 64 bits.
    public var integer: Int64? { if case .number(let literal) = self { Int64(literal) } else { nil } }

    /// How many values it has, itself among them, as `JSONScanner.Limits` counts them.
    package var valueCount: Int {
        switch self {
        case .null, .bool, .number, .string: 1
        case .array(let values): values.reduce(1) { $0 + $1.valueCount }
        case .object(let members): members.reduce(1) { $0 + $1.value.valueCount }
        }
    }

    /// Whether this is a number spelled as an integer, of any size.
    public var isInteger: Bool {
        guard case .number(let literal) = self else { return false }
        return literal.utf8.allSatisfy {
            $0 == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
    }

    /// The same value with the members of every object in order of their names' UTF-8 bytes: two
    /// documents with the same content become the same bytes.
    public var sorted: JSONValue { reordered ?? self }

    /// The sorted value; nil if this one is sorted already, as in a keystore, so that nothing is copied.
    private var reordered: JSONValue? {
        switch self {
        case .array(var values):
            var isChanged = false
            for index in values.indices {
                guard let value = values[index].reordered else { continue }
                values[index] = value
                isChanged = true
            }
            return isChanged ? .array(values) : nil
        case .object(var members):
            var isChanged = false
            for index in members.indices {
                guard let value = members[index].value.reordered else { continue }
                members[index].value = value
                isChanged = true
            }
            if !members.indices.dropFirst().allSatisfy({ members[$0 - 1].name.precedes(members[$0].name) }) {
                members.sort { $0.name.precedes($1.name) }
                isChanged = true
            }
            return isChanged ? .object(members) : nil
        case .null, .bool, .number, .string: return nil
        }
    }

    /// This object with a member set: at its present place, or else at the end. If `value` is nil, the member is
    /// removed. A value that is not an object is returned unchanged.
    public func setting(_ name: String, to value: JSONValue?) -> JSONValue {
        guard case .object(var members) = self else { return self }
        if let index = members.firstIndex(where: { $0.name.hasSameBytes(as: name) }) {
            if let value { members[index].value = value } else { members.remove(at: index) }
        } else if let value {
            members.append(Member(name, value))
        }
        return .object(members)
    }
}

extension JSONValue: Equatable {
    /// Whether both are spelled with the same bytes. `String` compares canonically equivalent text as
    /// equal; here "é" and "e" with an accent are two texts, as they are to every other program.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)), (.string(let left), .string(let right)):
            left.hasSameBytes(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)):
            left.elementsEqual(right) { $0.name.hasSameBytes(as: $1.name) && $0.value == $1.value }
        case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): false
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A number.
    public init(integerLiteral value: Int64) { self = .number(value) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object, its members in the written order.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }
    /// Null.
    public init(nilLiteral: ()) { self = .null }
}
