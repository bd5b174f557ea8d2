internal import CZlib

// A PNG picture (ISO/IEC 15948) as keytool writes it; numbers are big endian:
//
//   offset  length  meaning
//        0       8  signature: 89 "PNG" 0d 0a 1a 0a
//        8      25  chunk IHDR: width and height in pixels (4 bytes each); bit depth 1; colour type 0,
//                   greyscale; compression 0, deflate; filter method 0; interlace 0
//       33    12+n  chunk IDAT: a zlib stream (RFC 1950) of the rows, top to bottom. A row is filter type 0
//                   and a bit for each pixel, 1 for white, the leftmost in the highest bit of its byte
//   45 + n      12  chunk IEND, empty
//
// A chunk is the length of its data (4 bytes), its type (4), the data, and CRC-32 over type and data (4).

/// A QR code as a PNG picture, black on white with its quiet zone.
///
/// The picture of a backup code is in ordinary memory, and zlib leaves copies of it.
package struct PNGImage: Sendable {
    /// Width of a module in pixels, so that a row of a module is one byte.
    package static let pixelsPerModule = 8

    /// The whole file.
    package let bytes: [UInt8]

    private static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

    /// Draws the matrix.
    package init(_ matrix: QRMatrix) {
        let range = -QRMatrix.quietZone..<matrix.size + QRMatrix.quietZone
        let side = Self.bigEndian(UInt32(range.count * Self.pixelsPerModule))
        let rows = range.flatMap { row in
            let line = [0] + range.map { matrix.isDark(row: row, column: $0) ? 0x00 : 0xff } as [UInt8]
            return Array(repeatElement(line, count: Self.pixelsPerModule).joined())
        }
        bytes =
            Self.signature + Self.chunk("IHDR", side + side + [1, 0, 0, 0, 0])
            + Self.chunk("IDAT", Self.deflated(rows)) + Self.chunk("IEND", [])
    }

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let content = Array(type.utf8) + data
        let checksum = unsafe content.withUnsafeBufferPointer { content in
            UInt32(truncatingIfNeeded: unsafe crc32(0, content.baseAddress, UInt32(content.count)))
        }
        return bigEndian(UInt32(data.count)) + content + bigEndian(checksum)
    }

    private static func deflated(_ content: [UInt8]) -> [UInt8] {
        var count = compressBound(UInt(content.count))
        var stream = [UInt8](repeating: 0, count: Int(count))
        let result = unsafe compress2(&stream, &count, content, UInt(content.count), Z_BEST_COMPRESSION)
        // The room is what zlib asked for, so memory is all that can be missing.
        precondition(result == Z_OK)
        return Array(stream.prefix(Int(count)))
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
