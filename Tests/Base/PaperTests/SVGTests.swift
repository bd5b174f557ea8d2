import Paper
import Testing

struct SVGTests {
    @Test func positionsAreThoseOfThePage() {
        var page = Page(title: "A & B", language: "de")
        page.write("<x>", x: 56.6929, y: 100.006, .fixed, size: 9)
        page.line(x: 1, y: 2, toX: 3, toY: 4.5)
        page.fill([Page.Run(row: 1, column: 2, count: 3)], x: 10, y: 20, cell: 4.25)
        #expect(
            page.svg == """
                <?xml version="1.0" encoding="UTF-8"?>
                <svg xmlns="http://www.w3.org/2000/svg" xml:lang="de" width="210mm" height="297mm" viewBox="0 0 595.28 841.89">
                <title>A &amp; B</title>
                <rect width="595.28" height="841.89" fill="#fff"/>
                <text x="56.69" y="100.01" font-size="9" font-family="Courier, Courier New, monospace">&lt;x&gt;</text>
                <path d="M1 2L3 4.50" stroke="#000" stroke-width="0.75"/>
                <path transform="translate(10 20) scale(4.25)" shape-rendering="crispEdges" d="M2 1h3v1h-3z"/>
                </svg>

                """)
    }

    /// The marks of each format, position by position.
    @Test func bothFormatsHaveTheSamePositions() {
        var page = Page(title: "")
        for step in 0..<200 {
            page.write("x", x: Double(step) * 1.2345, y: Double(step) * 4.1931, size: 7)
        }
        let below = page.svg.split(separator: "\n").compactMap { line -> (Double, Double)? in
            guard line.hasPrefix("<text ") else { return nil }
            let parts = line.split(separator: "\"")
            return (Double(parts[1])!, Double(parts[3])!)
        }
        let above = String(decoding: page.pdf, as: UTF8.self).split(separator: "\n").compactMap {
            line -> (Double, Double)? in
            guard line.hasPrefix("BT ") else { return nil }
            let parts = line.split(separator: " ")
            return (Double(parts[4])!, Double(parts[5])!)
        }
        #expect(below.count == 200 && above.count == 200)
        for (svg, pdf) in zip(below, above) {
            #expect(svg.0 == pdf.0 && abs(841.89 - pdf.1 - svg.1) < 1e-9)
        }
    }
}
