@testable import Encodings
@testable import HTTP
@testable import SecureMemory

/// The encodings below all formats. An encoding that is canonical gives the input again.
enum Encoded {
    static func json(_ bytes: [UInt8]) throws {
        let value = try JSONScanner.parse(bytes.span, limits: .init(depth: 16, values: 2000))
        let encoded = value.encoded
        let again = try? JSONScanner.parse(encoded.span, limits: .init(depth: 16, values: 2000))
        expect(again == value, "what was written is read as the same value")
    }

    /// Cuts out strings, as for secrets: what is cut has to be a string of the text, and to be gone from the value.
    static func cutJSON(_ bytes: [UInt8]) throws {
        let paths = [["a"], ["b", "c"], ["user", "privatekey"]]
        let (_, cuts) = try JSONScanner.parse(bytes.span, cutting: paths)
        for case let cut? in cuts {
            expect(cut.lowerBound > 0 && cut.upperBound < bytes.count, "the cut is inside")
            expect(bytes[cut.lowerBound - 1] == 0x22 && bytes[cut.upperBound] == 0x22, "quotes stand around the cut")
            let text = try JSONScanner.unescape(cut, of: bytes.span)
            expect(text.count <= cut.count, "unescaping does not make it longer")
        }
        _ = try JSONScanner.parse(bytes.span, cuttingEach: [["keys", "*", "key"], ["a"]])
    }

    static func outline(_ bytes: [UInt8]) {
        guard let outline = JSONOutline(of: bytes.span) else { return }
        _ = outline.member("a", in: bytes.span)
        _ = outline.member(after: "a", in: bytes.span)
    }

    static func xml(_ bytes: [UInt8]) throws {
        var scanner = XMLScanner(bytes, limits: .init(depth: 8, elements: 100))
        var depth = 0
        while let event = try scanner.next() {
            switch event {
            case .start: depth += 1
            case .end: depth -= 1
            }
            expect((0...9).contains(depth), "elements end that have begun")
        }
        expect(depth == 0, "each element ends")
    }

    static func protobuf(_ bytes: [UInt8]) throws {
        var position = 0
        while let field = try ProtobufWire.next(bytes.span, at: &position) {
            expect(position <= bytes.count, "the position is inside")
            if case .bytes(_, let range) = field { expect(range.upperBound <= bytes.count, "the field is inside") }
        }
        expect(position == bytes.count, "all is read")
    }

    static func gzip(_ bytes: [UInt8]) throws {
        let opened = try Gzip.open(bytes.span, limit: 65_536)
        expect(opened.count <= 65_536, "not more than the limit")
    }

    /// The first byte is the length of what is inflated, in 16 bytes. In a gzip member with the right checksum and length, the
    /// stream has the same content.
    static func deflate(_ bytes: [UInt8]) {
        let (first, rest) = split(bytes)
        guard let opened = Deflate.open(rest.span, count: Int(first) * 16)?.revealBytes() else { return }
        expect(opened.count == Int(first) * 16, "as long as was said")
        let trailer = [Deflate.checksum(opened.span), UInt32(opened.count)].flatMap { number in
            (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
        }
        let member = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0] + rest + trailer
        expect((try? Gzip.open(member.span, limit: 4096))?.revealBytes() == opened, "the same content")
    }

    static func texts(_ bytes: [UInt8]) {
        if let decoded = Base64.decode(bytes.span) {
            expect(
                decoded.withBytes { Base64.encode($0) } == String(decoding: bytes, as: UTF8.self), "Base64 is canonical"
            )
        }
        if let decoded = Base64.decodePublic(bytes.span, isPadded: false) {
            expect(Base64.encodeUnpadded(decoded.span).utf8.elementsEqual(bytes), "Base64 without padding is canonical")
        }
        if let decoded = Hex.decode(bytes.span) { expect(decoded.count * 2 == bytes.count, "half as long") }
        if let decoded = Base32.decode(bytes) { expect(Base32.encode(decoded.span).count == bytes.count, "as long") }
        if let decoded = try? Bech32.decode(bytes.span) { expect(decoded.data.count <= bytes.count, "shorter") }
    }

    /// Header fields of an answer, which a server chooses.
    static func headers(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let response = HTTPResponse(
            status: 302, headers: ["location": text, "etag": text, "retry-after": text, "date": text])
        _ = response.strongTag
        _ = response.secondsToWait(now: 1_800_000_000)
        _ = response.clockLead(now: 1_800_000_000)
        let redirect = Redirect(to: text, from: "https://example.org/backups/1")
        _ = redirect.sameOrigin
        _ = redirect.target
        _ = HTTPOrigin(url: text)
        _ = HTTPOrigin(authority: text)
        if let pin = PublicKeyPin(text: text) { expect(PublicKeyPin(text: pin.text) == pin, "the same pin") }
    }
}
