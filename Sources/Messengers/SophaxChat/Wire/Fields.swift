package import Encodings

/// Why bytes are not the JSON object that they should be.
public enum FieldError: Error, Equatable, Sendable {
    /// Not JSON, not an object, nested too deeply, with too many values, or a name stands twice.
    case malformed
    /// A field is missing, or has another type or length.
    case field(String)
}

/// The members of a JSON object as the app writes them: bytes as Base64 with padding, times as seconds since 2001.
/// Unknown members are ignored, and a null is as none.
package struct Fields {
    package static let limits = JSONScanner.Limits(depth: 16, values: 20_000)
    package let value: JSONValue

    package init(_ bytes: [UInt8]) throws(FieldError) {
        do { value = try JSONScanner.parse(bytes.span, limits: Self.limits) } catch { throw .malformed }
        guard value.members != nil else { throw .malformed }
    }

    package init(_ value: JSONValue) throws(FieldError) {
        guard value.members != nil else { throw .malformed }
        self.value = value
    }

    package func has(_ name: String) -> Bool {
        switch value[name] {
        case nil, .null: false
        default: true
        }
    }

    package func text(_ name: String, _ count: ClosedRange<Int> = 0...256) throws(FieldError) -> String {
        guard let text = value[name]?.string, count.contains(text.utf8.count) else { throw .field(name) }
        return text
    }

    package func peer(_ name: String) throws(FieldError) -> PeerID {
        guard let text = value[name]?.string, let id = PeerID(text) else { throw .field(name) }
        return id
    }

    package func bytes(_ name: String, _ count: ClosedRange<Int>) throws(FieldError) -> [UInt8] {
        guard let text = value[name]?.string?.utf8, text.count <= Base64.encodedCount(count.upperBound),
            let bytes = Base64.decodePublic(text.span, isPadded: true), count.contains(bytes.count)
        else { throw .field(name) }
        return bytes
    }

    package func bytes(_ name: String, _ count: Int) throws(FieldError) -> [UInt8] { try bytes(name, count...count) }

    package func integer<Number: FixedWidthInteger>(_ name: String, as type: Number.Type) throws(FieldError) -> Number {
        guard let number = value[name]?.integer, let exact = Number(exactly: number) else { throw .field(name) }
        return exact
    }

    package func time(_ name: String) throws(FieldError) -> AppTime {
        guard case .number(let literal)? = value[name], literal.utf8.count <= 40, let seconds = Double(literal),
            let time = AppTime(seconds: seconds)
        else { throw .field(name) }
        return time
    }

    package func optional<Value>(
        _ name: String, _ read: (String) throws(FieldError) -> Value
    ) throws(FieldError) -> Value? {
        has(name) ? try read(name) : nil
    }
}

extension JSONValue {
    /// Base64 of bytes that are not secret.
    package static func base64(_ bytes: [UInt8]) -> JSONValue { .string(Base64.encode(bytes.span)) }

    /// A time.
    package static func time(_ time: AppTime) -> JSONValue { .number(time.literal) }

    /// An object without the members that are nil.
    package static func object(present members: [(String, JSONValue?)]) -> JSONValue {
        .object(members.compactMap { name, value in value.map { Member(name, $0) } })
    }

    /// Compact, with sorted names.
    package var bytes: [UInt8] { sorted.encoded }
}

/// Numbers and lengths as they stand in signed bytes, big endian.
extension [UInt8] {
    package mutating func appendNumber(_ number: some FixedWidthInteger) {
        for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// One byte of length, then the bytes.
    package mutating func appendShort(_ bytes: [UInt8]) {
        precondition(bytes.count <= 255)
        append(UInt8(bytes.count))
        self += bytes
    }

    /// Four bytes of length, then the bytes.
    package mutating func appendLong(_ bytes: [UInt8]) {
        appendNumber(UInt32(bytes.count))
        self += bytes
    }
}
