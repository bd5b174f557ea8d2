/// Pictures made of pixels, as phones, scanners and screens write them.
enum PixelFormat: String, CaseIterable {
    case png, jpeg, gif, bmp, tiff, webp, heic, pnm

    /// - Parameter head: at least the first 12 bytes of the file, or all of it.
    init?(of head: [UInt8]) {
        let format = Self.allCases.first { format in
            switch format {
            case .png: head.starts(with: [0x89, 0x50, 0x4e, 0x47])
            case .jpeg: head.starts(with: [0xff, 0xd8, 0xff])
            case .gif: head.starts(with: "GIF8".utf8)
            case .bmp: head.starts(with: "BM".utf8)
            case .tiff: head.starts(with: [0x49, 0x49, 0x2a, 0]) || head.starts(with: [0x4d, 0x4d, 0, 0x2a])
            case .webp: head.starts(with: "RIFF".utf8) && head.dropFirst(8).starts(with: "WEBP".utf8)
            case .heic: head.dropFirst(4).starts(with: "ftyp".utf8)
            case .pnm: head.count > 2 && head[0] == 0x50 && (0x31...0x36).contains(head[1]) && head[2] <= 0x20
            }
        }
        guard let format else { return nil }
        self = format
    }
}
