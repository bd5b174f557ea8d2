extension JSONValue {
    /// The value as compact JSON (RFC 8259), UTF-8, members in their present order.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        return bytes
    }

    /// The value as JSON with an empty string as member `path` (object member names from the root), which
    /// must not be there yet and must lead through objects alone, in order of the names; and the offset between that string's quotes. What
    /// is put there, for example a key, never becomes part of a `JSONValue`.
    public func encoded(splitting path: [String]) -> (bytes: [UInt8], offset: Int) {
        var bytes: [UInt8] = []
        var offset: Int?
        adding("", at: path[...]).sorted.encode(into: &bytes, path: path[...], offset: &offset)
        guard let offset else { preconditionFailure("the path leads through something that is no object") }
        return (bytes, offset)
    }

    private func adding(_ value: JSONValue, at path: ArraySlice<String>) -> JSONValue {
        guard let name = path.first else { return value }
        return setting(name, to: (self[name] ?? [:]).adding(value, at: path.dropFirst()))
    }

    private func encode(into bytes: inout [UInt8]) {
        var offset: Int?
        encode(into: &bytes, path: nil, offset: &offset)
    }

    private func encode(into bytes: inout [UInt8], path: ArraySlice<String>?, offset: inout Int?) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let literal): bytes.append(contentsOf: literal.utf8)
        case .string(let text):
            if let path, path.isEmpty { offset = bytes.count + 1 }
            Self.encode(text, into: &bytes)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.encode(into: &bytes, path: nil, offset: &offset)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.encode(member.name, into: &bytes)
                bytes.append(UInt8(ascii: ":"))
                let isOnPath = path?.first?.utf8.elementsEqual(member.name.utf8) ?? false
                let rest = isOnPath ? path?.dropFirst() : nil
                member.value.encode(into: &bytes, path: rest, offset: &offset)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func encode(_ text: String, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
            case UInt8(ascii: "\r"): bytes.append(contentsOf: "\\r".utf8)
            case UInt8(ascii: "\t"): bytes.append(contentsOf: "\\t".utf8)
            case 0..<0x20: bytes.append(contentsOf: ("\\u00" + Hex.encode([byte])).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
