/// What a client sends on a connection of HTTP/2: the preface, SETTINGS, then the frames of the input.
///
///     1 byte   type of the frame (RFC 9113, 6); from 0x80 on, HEADERS whose payload is lines NAME:VALUE
///     1        flags
///     1        stream
///     1        count of the bytes that follow; 255 for all
///     count    payload
struct HTTP2Frames {
    private(set) var encoded = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]

    init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while rest.count >= 4 {
            let head = Array(rest.prefix(4))
            let payload = Array(rest.dropFirst(4).prefix(head[3] == 255 ? rest.count : Int(head[3])))
            rest = rest.dropFirst(4 + payload.count)
            let isText = head[0] >= 0x80
            let content = isText ? Self.fields(payload) : payload
            encoded += [UInt8(content.count >> 16), UInt8(content.count >> 8 & 0xff), UInt8(content.count & 0xff)]
            encoded += [isText ? 1 : head[0], head[1], 0, 0, 0, head[2]] + content
        }
    }

    /// Literal fields that are never indexed (RFC 7541, 6.2.3), without Huffman's code.
    private static func fields(_ lines: [UInt8]) -> [UInt8] {
        lines.split(separator: 0x0a).flatMap { line -> [UInt8] in
            // The name of a pseudo-header begins with a colon.
            let colon = line.dropFirst().firstIndex(of: 0x3a) ?? line.endIndex
            let (name, value) = (line[..<colon].prefix(126), line[colon...].dropFirst().prefix(126))
            return [0x10, UInt8(name.count)] + name + [UInt8(value.count)] + value
        }
    }
}
