internal import Encodings
internal import SecureMemory

extension FileMessage {
    private static let keyPath = ["k"]

    /// - Throws: `.tooLong` past 256 bytes of name, 6000 of caption or 7000 of JSON; `.member("s")` for a negative
    ///   size; `.member("x")` for metadata that is not an object.
    func encode(into body: inout BodyWriter) throws(MessageBodyError) {
        try Self.check(name, MessageLimits.fileNameBytes)
        try Self.check(caption, MessageLimits.textBytes)
        guard size >= 0 else { throw .member("s") }
        if let metadata, metadata.members == nil { throw .member("x") }
        let (json, offsets) = object.encoded(splitting: [Self.keyPath])
        var pieces = (Array(json[..<offsets[0]]), Array(json[offsets[0]...]))
        // The gateways' own software reads ASCII only.
        let ascii = (Self.ascii(pieces.0), Self.ascii(pieces.1))
        if ascii.0.count + ascii.1.count + 2 * EnclosedKey.count <= MessageLimits.bodyBytes { pieces = ascii }
        try body.append(pieces.0)
        try body.appendHex(key)
        try body.append(pieces.1)
    }

    private static func check(_ text: String?, _ limit: Int) throws(MessageBodyError) {
        guard let count = text?.utf8.count, count > limit else { return }
        throw .tooLong(limit: limit, actual: count)
    }

    /// The members but the key.
    private var object: JSONValue {
        var members: [JSONValue.Member] = [
            .init("b", .string("\(blobID)")), .init("m", .string(mediaType)), .init("s", .number(size)),
            .init("j", .number(rendering.rawValue)), .init("i", .number(rendering == .media ? 1 : 0)),
        ]
        let texts = [("n", name), ("d", caption), ("c", correlationID), ("p", thumbnail?.mediaType)]
        for case (let name, let text?) in texts { members.append(.init(name, .string(text))) }
        if let thumbnail { members.append(.init("t", .string("\(thumbnail.blobID)"))) }
        if let metadata { members.append(.init("x", metadata)) }
        return .object(members)
    }

    /// The JSON with each character outside of ASCII as an escape. Such characters are in strings only.
    private static func ascii(_ json: [UInt8]) -> [UInt8] {
        guard json.contains(where: { $0 >= 0x80 }) else { return json }
        var result: [UInt8] = []
        for unit in String(decoding: json, as: UTF8.self).utf16 {
            if unit < 0x80 {
                result.append(UInt8(unit))
            } else {
                result += Array("\\u\(Hex.encode([UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit)]))".utf8)
            }
        }
        return result
    }
}
