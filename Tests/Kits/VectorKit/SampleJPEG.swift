/// The segments of a JPEG file. Its pixels cannot be decoded.
public struct SampleJPEG {
    /// The marker of the frame: 0xc0 for baseline.
    public var process: UInt8 = 0xc0
    /// In pixels.
    public var width = 400
    /// In pixels.
    public var height = 300
    /// In bits.
    public var precision: UInt8 = 8
    /// How many colours a pixel has.
    public var components: UInt8 = 3
    /// Segments before the frame: marker and content.
    public var extra: [(UInt8, [UInt8])] = [(0xe0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0])]
    /// The entropy-coded data.
    public var pixels: [UInt8]
    /// The end of the image.
    public var end: [UInt8] = [0xff, 0xd9]

    /// - Parameter pixels: the default has a stuffed byte and a restart.
    public init(pixels: [UInt8] = [0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56]) { self.pixels = pixels }

    /// A segment with its marker and length.
    public static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length = content.count + 2
        return [0xff, marker, UInt8(length >> 8), UInt8(length & 0xff)] + content
    }

    private var frame: [UInt8] {
        [precision, UInt8(height >> 8), UInt8(height & 0xff), UInt8(width >> 8), UInt8(width & 0xff), components]
            + (0..<components).flatMap { [$0 + 1, 0x11, 0] }
    }

    /// The file.
    public var bytes: [UInt8] {
        [0xff, 0xd8] + extra.flatMap { Self.segment($0.0, $0.1) } + Self.segment(0xdb, [UInt8](repeating: 1, count: 65))
            + Self.segment(process, frame) + Self.segment(0xc4, [UInt8](repeating: 0, count: 17))
            + Self.segment(0xda, [1, 1, 0, 0, 63, 0]) + pixels + end
    }
}
