/// The structure of a JPEG file (ITU-T T.81, annex B): size, process, and the segments before the pixels. Pixels are
/// not decoded.
///
///     FF D8                     SOI
///     FF mm  length  content    segments; the length (2 bytes, big-endian) counts itself and the content
///       C0                        SOF0, baseline: precision (1), height (2), width (2), number of components (1), …
///       C1 … CF                   SOF1 …, other processes, but C4 (DHT), C8 (reserved) and CC (DAC)
///       E0 … EF                   APP0 …, metadata; FE COM, a comment
///     FF DA  length  content    SOS, before pixels; in them FF 00 is a byte FF, and FF D0 … FF D7 are restarts
///     FF D9                     EOI
struct JPEGStructure: Equatable {
    /// Size in pixels.
    let width: Int
    let height: Int
    /// Number of colour components: 1 is grey, 3 are colours, 4 are for print.
    let components: Int
    /// Bits of each component.
    let precision: Int
    /// Whether the process is baseline (SOF0).
    let isBaseline: Bool
    /// Whether a segment has more than JFIF's and Adobe's fixed fields: EXIF with place and camera, comments,
    /// thumbnails.
    let hasMetadata: Bool

    private static let marker: UInt8 = 0xff

    /// Parses a whole file in one pass over its bytes.
    /// - Returns: nil if it is not JPEG, if it is truncated, or if bytes follow its end.
    init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= 4, bytes[0] == Self.marker, bytes[1] == 0xd8 else { return nil }
        var position = 2
        var frame: (width: Int, height: Int, components: Int, precision: Int, isBaseline: Bool)?
        var hasMetadata = false
        var hasScan = false
        while true {
            guard let code = Self.marker(bytes, &position) else { return nil }
            if code == 0xd9 { break }
            guard let range = Self.segment(bytes, &position) else { return nil }
            let content = bytes.extracting(range)
            switch code {
            case 0xc4, 0xcc, 0xdb, 0xdd: break
            case 0xc0...0xc3, 0xc5...0xc7, 0xc9...0xcb, 0xcd...0xcf:
                guard frame == nil, content.count >= 6 else { return nil }
                frame = (
                    Int(content[3]) << 8 | Int(content[4]), Int(content[1]) << 8 | Int(content[2]), Int(content[5]),
                    Int(content[0]), code == 0xc0
                )
                guard content.count == 6 + 3 * Int(content[5]) else { return nil }
            case 0xda:
                guard frame != nil else { return nil }
                hasScan = true
                Self.skipPixels(bytes, &position)
            case 0xe0...0xef, 0xfe:
                if !Self.isPlain(code, content) { hasMetadata = true }
            default: return nil
            }
        }
        guard let frame, hasScan, position == bytes.count else { return nil }
        (width, height, components) = (frame.width, frame.height, frame.components)
        (precision, isBaseline) = (frame.precision, frame.isBaseline)
        self.hasMetadata = hasMetadata
    }

    /// The code of the marker at `position`, with any number of fill bytes before it.
    private static func marker(_ bytes: Span<UInt8>, _ position: inout Int) -> UInt8? {
        guard position < bytes.count, bytes[position] == marker else { return nil }
        while position < bytes.count, bytes[position] == marker { position += 1 }
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// The content of the segment whose length is at `position`.
    private static func segment(_ bytes: Span<UInt8>, _ position: inout Int) -> Range<Int>? {
        guard bytes.count - position >= 2 else { return nil }
        let length = Int(bytes[position]) << 8 | Int(bytes[position + 1])
        guard length >= 2, length <= bytes.count - position else { return nil }
        defer { position += length }
        return position + 2..<position + length
    }

    private static func skipPixels(_ bytes: Span<UInt8>, _ position: inout Int) {
        while position < bytes.count {
            guard bytes[position] == marker else {
                position += 1
                continue
            }
            guard position + 1 < bytes.count else { return }
            let code = bytes[position + 1]
            guard code == 0 || (0xd0...0xd7).contains(code) else { return }
            position += 2
        }
    }

    /// Whether a segment is needed to show the pixels: JFIF's APP0 without a thumbnail, Adobe's APP14.
    private static func isPlain(_ code: UInt8, _ content: Span<UInt8>) -> Bool {
        switch code {
        case 0xe0: content.count == 14 && starts(content, "JFIF\0") && content[12] == 0 && content[13] == 0
        case 0xee: content.count == 12 && starts(content, "Adobe")
        default: false
        }
    }

    private static func starts(_ content: Span<UInt8>, _ text: StaticString) -> Bool {
        let head = Array(text.description.utf8)
        guard content.count >= head.count else { return false }
        for index in head.indices where content[index] != head[index] { return false }
        return true
    }
}
