/// A QR code as an SVG drawing, black on white with its quiet zone; a module is one unit wide and high.
package struct SVGImage: Sendable {
    /// Width of a module in pixels, if the drawing is not scaled.
    package static let pixelsPerModule = 8

    /// Width in modules, including the quiet zone.
    package let side: Int
    /// All dark modules as the data of one path, so that no seams show between them.
    package let path: String

    /// Draws the matrix.
    package init(_ matrix: QRMatrix) {
        side = matrix.size + 2 * QRMatrix.quietZone
        path = matrix.darkRuns.map { row, column, count in
            "M\(column + QRMatrix.quietZone) \(row + QRMatrix.quietZone)h\(count)v1h-\(count)z"
        }.joined()
    }

    /// The whole file.
    package var text: String {
        let pixels = side * Self.pixelsPerModule
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" width="\(pixels)" height="\(pixels)" viewBox="0 0 \(side) \(side)">
            <path fill="#fff" d="M0 0h\(side)v\(side)h-\(side)z"/>
            <path fill="#000" shape-rendering="crispEdges" d="\(path)"/>
            </svg>

            """
    }
}
