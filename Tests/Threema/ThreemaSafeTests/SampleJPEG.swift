/// The segments of a JPEG file, whose pixels are none.
struct SampleJPEG {
    var process: UInt8 = 0xc0
    var width = 400
    var height = 300
    var precision: UInt8 = 8
    var components: UInt8 = 3
    /// Segments before the frame: marker and content.
    var extra: [(UInt8, [UInt8])] = [(0xe0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0])]
    /// The entropy-coded data: a stuffed byte, a restart.
    var pixels: [UInt8] = [0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56]
    var end: [UInt8] = [0xff, 0xd9]

    static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length = content.count + 2
        return [0xff, marker, UInt8(length >> 8), UInt8(length & 0xff)] + content
    }

    private var frame: [UInt8] {
        [precision, UInt8(height >> 8), UInt8(height & 0xff), UInt8(width >> 8), UInt8(width & 0xff), components]
            + (0..<components).flatMap { [$0 + 1, 0x11, 0] }
    }

    var bytes: [UInt8] {
        [0xff, 0xd8] + extra.flatMap { Self.segment($0.0, $0.1) } + Self.segment(0xdb, [UInt8](repeating: 1, count: 65))
            + Self.segment(process, frame) + Self.segment(0xc4, [UInt8](repeating: 0, count: 17))
            + Self.segment(0xda, [1, 1, 0, 0, 63, 0]) + pixels + end
    }
}
