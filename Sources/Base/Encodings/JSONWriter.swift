package import SecureMemory

extension JSONValue {
    /// The value as compact JSON (RFC 8259), UTF-8, members in their present order.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        var offsets: [Int?] = []
        encode(into: &bytes, gaps: [], offsets: &offsets)
        return bytes
    }

    /// The value as JSON, members in order of their names, with an empty string at each of `paths` (object member names
    /// from the root); and for each path the offset between that string's quotes. A key that is inserted there never
    /// becomes part of a `JSONValue`.
    /// - Parameter paths: each leads through objects only, and none is the beginning of another one.
    package func encoded(splitting paths: [[String]]) -> (bytes: [UInt8], offsets: [Int]) {
        var bytes: [UInt8] = []
        var offsets = [Int?](repeating: nil, count: paths.count)
        let gaps = paths.enumerated().map { Gap(path: $1[...], index: $0) }
        paths.reduce(self) { $0.adding("", at: $1[...]) }.sorted.encode(into: &bytes, gaps: gaps, offsets: &offsets)
        return (
            bytes,
            offsets.map { offset in
                guard let offset else { preconditionFailure("a path leads through something that is no object") }
                return offset
            }
        )
    }

    /// The bytes of a string as they stand between its quotes, for a secret that is inserted into such a gap. Ordinary
    /// memory; the array takes its full size at once, so that no shorter copy is left behind.
    /// - Parameter text: UTF-8.
    package static func escaped(_ text: Span<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(6 * text.count)
        for index in text.indices { encode(text[index], into: &bytes) }
        return bytes
    }

    /// The same into guarded memory; no copy of the text is left elsewhere.
    package static func escape(_ text: Span<UInt8>, appendingTo buffer: inout SecureBuffer) {
        var bytes: [UInt8] = []
        for index in text.indices {
            bytes.removeAll(keepingCapacity: true)
            encode(text[index], into: &bytes)
            buffer.append(bytes.span)
        }
    }

    /// The most bytes that one byte of a text becomes.
    package static let longestEscape = 6

    /// The place of an empty string: the rest of its path from the present value, and the index of the path.
    private struct Gap {
        let path: ArraySlice<String>
        let index: Int
    }

    private func adding(_ value: JSONValue, at path: ArraySlice<String>) -> JSONValue {
        guard let name = path.first else { return value }
        return setting(name, to: (self[name] ?? [:]).adding(value, at: path.dropFirst()))
    }

    private func encode(into bytes: inout [UInt8], gaps: [Gap], offsets: inout [Int?]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let literal): bytes.append(contentsOf: literal.utf8)
        case .string(let text):
            for gap in gaps where gap.path.isEmpty { offsets[gap.index] = bytes.count + 1 }
            Self.encode(text, into: &bytes)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.encode(into: &bytes, gaps: [], offsets: &offsets)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.encode(member.name, into: &bytes)
                bytes.append(UInt8(ascii: ":"))
                let within = gaps.isEmpty ? [] : Self.gaps(gaps, within: member.name)
                member.value.encode(into: &bytes, gaps: within, offsets: &offsets)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func gaps(_ gaps: [Gap], within name: String) -> [Gap] {
        gaps.filter { $0.path.first?.hasSameBytes(as: name) ?? false }
            .map { Gap(path: $0.path.dropFirst(), index: $0.index) }
    }

    private static func encode(_ text: String, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        if needsEscapes(text) {
            for byte in text.utf8 { encode(byte, into: &bytes) }
        } else {
            bytes.append(contentsOf: text.utf8)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func needsEscapes(_ text: String) -> Bool {
        let text = text.utf8.span
        for index in text.indices {
            let byte = text[index]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return true }
        }
        return false
    }

    private static func encode(_ byte: UInt8, into bytes: inout [UInt8]) {
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
}
