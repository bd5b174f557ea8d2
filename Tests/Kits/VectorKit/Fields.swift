/// The members of a vector's `inputs` or `expected`, read by the type that a test needs.
///
/// Every accessor throws where the field is missing, null or of another type: a misspelled name
/// fails its test.
public struct Fields: Decodable, Sendable {
    private let values: [String: Value]

    /// Whether the field is there and is not null.
    public func has(_ name: String) -> Bool {
        switch values[name] {
        case nil, .null: false
        default: true
        }
    }

    /// A text.
    public func string(_ name: String) throws -> String {
        guard case .string(let text) = try value(name) else { throw VectorError.wrongType(name) }
        return text
    }

    /// A text, as its UTF-8 bytes.
    public func utf8(_ name: String) throws -> [UInt8] { try Array(string(name).utf8) }

    /// Bytes that the vector writes in hexadecimal.
    public func bytes(_ name: String) throws -> [UInt8] {
        guard let bytes = try [UInt8](hex: string(name)) else { throw VectorError.wrongType(name) }
        return bytes
    }

    /// An integer.
    public func integer(_ name: String) throws -> Int {
        guard case .integer(let number) = try value(name) else { throw VectorError.wrongType(name) }
        return number
    }

    /// A number, which may have a fraction.
    public func number(_ name: String) throws -> Double {
        switch try value(name) {
        case .integer(let number): Double(number)
        case .fraction(let number): number
        default: throw VectorError.wrongType(name)
        }
    }

    /// A truth value.
    public func bool(_ name: String) throws -> Bool {
        guard case .bool(let value) = try value(name) else { throw VectorError.wrongType(name) }
        return value
    }

    /// The members of an object.
    public func object(_ name: String) throws -> Fields {
        guard case .object(let fields) = try value(name) else { throw VectorError.wrongType(name) }
        return fields
    }

    /// The names of the members, sorted.
    public var names: [String] { values.keys.sorted() }

    /// A list of texts.
    public func strings(_ name: String) throws -> [String] {
        try list(name) { if case .string(let text) = $0 { text } else { nil } }
    }

    /// A list of integers.
    public func integers(_ name: String) throws -> [Int] {
        try list(name) { if case .integer(let number) = $0 { number } else { nil } }
    }

    private func list<Element>(_ name: String, _ read: (Value) -> Element?) throws -> [Element] {
        guard case .list(let values) = try value(name) else { throw VectorError.wrongType(name) }
        return try values.map { value in
            guard let element = read(value) else { throw VectorError.wrongType(name) }
            return element
        }
    }

    private func value(_ name: String) throws -> Value {
        guard let value = values[name] else { throw VectorError.noField(name) }
        return value
    }

    /// Reads an object whose members are texts, integers, truth values, nulls, objects, or lists of these.
    public init(from decoder: any Decoder) throws {
        values = try decoder.singleValueContainer().decode([String: Value].self)
    }
}

private enum Value: Decodable, Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    /// Larger than any integer that a test reads by its value.
    case unsigned(UInt64)
    case fraction(Double)
    case string(String)
    case list([Value])
    case object(Fields)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .unsigned(value)
        } else if let value = try? container.decode(Double.self) {
            self = .fraction(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([Value].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode(Fields.self))
        }
    }
}
