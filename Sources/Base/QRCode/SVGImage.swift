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
        path = (0..<matrix.size).map { Self.path(ofRow: $0, matrix) }.joined()
    }

    /// The dark runs of a row, each a rectangle one module high.
    private static func path(ofRow row: Int, _ matrix: QRMatrix) -> String {
        var path = ""
        var column = 0
        while column < matrix.size {
            let start = column
            while matrix.isDark(row: row, column: column) { column += 1 }
            let count = column - start
            if count > 0 { path += "M\(start + QRMatrix.quietZone) \(row + QRMatrix.quietZone)h\(count)v1h-\(count)z" }
            column += 1
        }
        return path
    }

    /// The drawing for use in another one: a white square of `side` units and the modules on it.
    package var content: String {
        """
        <path fill="#fff" d="M0 0h\(side)v\(side)h-\(side)z"/>
        <path fill="#000" shape-rendering="crispEdges" d="\(path)"/>
        """
    }

    /// The whole file.
    package var text: String {
        let pixels = side * Self.pixelsPerModule
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" width="\(pixels)" height="\(pixels)" viewBox="0 0 \(side) \(side)">
            \(content)
            </svg>

            """
    }
}
