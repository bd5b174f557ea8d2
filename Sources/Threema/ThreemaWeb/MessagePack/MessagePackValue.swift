/// A value of MessagePack. Its bytes are in ordinary memory.
public indirect enum MessagePackValue: Equatable, Sendable {
    case null
    case bool(Bool)
    /// 0 or greater.
    case unsigned(UInt64)
    /// Less than 0.
    case negative(Int64)
    case float(Float)
    case double(Double)
    case text(String)
    case bytes([UInt8])
    case array([MessagePackValue])
    /// In the order of the bytes. Names may repeat.
    case map([Member])
    /// A type of the application (0 or greater) or of the format (less than 0), and its bytes.
    case extended(Int8, [UInt8])

    /// A name and its value in a map.
    public struct Member: Equatable, Sendable {
        /// The name, which may be any value; the messages here have texts.
        public let name: MessagePackValue
        /// The value of the member, of any type.
        public let value: MessagePackValue

        /// A member with any value as its name.
        public init(_ name: MessagePackValue, _ value: MessagePackValue) {
            self.name = name
            self.value = value
        }

        /// A member with text as its name.
        public init(_ name: String, _ value: MessagePackValue) { self.init(.text(name), value) }
    }

    /// An integer of any sign.
    public static func integer(_ value: Int64) -> MessagePackValue {
        value < 0 ? .negative(value) : .unsigned(UInt64(value))
    }

    /// The values of a map whose names are different texts.
    /// - Returns: nil for any other value.
    var members: [String: MessagePackValue]? {
        guard case .map(let members) = self else { return nil }
        var values: [String: MessagePackValue] = [:]
        for member in members {
            guard case .text(let name) = member.name, values.updateValue(member.value, forKey: name) == nil else {
                return nil
            }
        }
        return values
    }
}

/// How much of MessagePack is read. Lengths and counts are also compared with the bytes that are left, before anything
/// is allocated for them.
public struct MessagePackLimits: Equatable, Sendable {
    /// Most bytes of a text.
    public let bytes: Int
    /// Most arrays and maps that are in each other.
    public let depth: Int
    /// Most values in total, names included.
    public let values: Int

    /// Each limit is 0 or more; a message beyond one is refused.
    public init(bytes: Int, depth: Int, values: Int) {
        self.bytes = bytes
        self.depth = depth
        self.values = values
    }

    /// For messages of a handshake: 8 KiB, 8 levels, 256 values.
    public static let handshake = MessagePackLimits(bytes: 8 * 1024, depth: 8, values: 256)
    /// For messages after it: 1 MiB, 32 levels, 65,536 values.
    public static let task = MessagePackLimits(bytes: 1024 * 1024, depth: 32, values: 65_536)
}

/// Why bytes were not read as MessagePack.
public enum MessagePackError: Error, Equatable, Sendable {
    /// More bytes than the limit.
    case tooLong(limit: Int, actual: Int)
    /// A value, or a length or count that it announces, exceeds the bytes that are left.
    case truncated
    /// Arrays and maps are nested deeper than the limit.
    case tooDeep(limit: Int)
    /// There are more values than the limit.
    case tooManyValues(limit: Int)
    /// The type 0xc1, which the format never uses.
    case reservedType
    /// A text is not UTF-8.
    case notUTF8
    /// Bytes follow the value.
    case trailingBytes(Int)
}
