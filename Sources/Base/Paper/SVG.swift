extension Page {
    /// The page as an SVG drawing in UTF-8: text in fonts that every printer has, and without references to other
    /// files.
    package var svg: String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <svg xmlns="http://www.w3.org/2000/svg" xml:lang="\(language)" width="210mm" height="297mm" \
        viewBox="0 0 \(Self.width.decimal) \(Self.height.decimal)">
        <title>\(Self.escaped(title))</title>
        <rect width="\(Self.width.decimal)" height="\(Self.height.decimal)" fill="#fff"/>
        \(marks.map(Self.element).joined(separator: "\n"))
        </svg>

        """
    }

    private static func element(_ mark: Mark) -> String {
        switch mark {
        case .text(let text, let x, let y, let font, let size):
            return
                "<text x=\"\(x.decimal)\" y=\"\(y.decimal)\" font-size=\"\(size.decimal)\" \(font.svgAttributes)>"
                + "\(escaped(text))</text>"
        case .line(let x, let y, let toX, let toY, let isDashed):
            let dash = isDashed ? " stroke-dasharray=\"3 3\"" : ""
            return
                "<path d=\"M\(x.decimal) \(y.decimal)L\(toX.decimal) \(toY.decimal)\" stroke=\"#000\" "
                + "stroke-width=\"\(lineWidth.decimal)\"\(dash)/>"
        case .cells(let runs, let x, let y, let cell):
            let path = runs.map { "M\($0.column) \($0.row)h\($0.count)v1h-\($0.count)z" }.joined()
            return
                "<path transform=\"translate(\(x.decimal) \(y.decimal)) scale(\(cell.decimal))\" "
                + "shape-rendering=\"crispEdges\" d=\"\(path)\"/>"
        }
    }

    /// Text as XML's content; nothing in it can become markup.
    private static func escaped(_ text: PrintableText) -> String {
        text.text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}

extension Page.Font {
    fileprivate var svgAttributes: String {
        switch self {
        case .text: #"font-family="Helvetica, Arial, sans-serif""#
        case .bold: #"font-family="Helvetica, Arial, sans-serif" font-weight="bold""#
        case .fixed: #"font-family="Courier, Courier New, monospace""#
        }
    }
}
