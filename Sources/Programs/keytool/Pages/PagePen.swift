import Paper

/// Writes on a page from top to bottom, between two edges. Lengths are points.
struct PagePen {
    private(set) var page: Page
    /// Where it has arrived: the base line of the last text, or the end of the last drawing.
    var y: Double
    let left: Double
    let right: Double
    /// Size of the text in sentences.
    let textSize: Double
    /// Size of the text that programs show or that is typed, in the fixed font.
    let fixedSize: Double
    /// From a line to the next.
    let pitch: Double
    /// Width of the labels of facts.
    let labelWidth: Double

    /// Labels, and lines beside them.
    typealias Facts = [(label: Sentence, lines: [PrintableText])]

    /// Characters of the fixed font that fit into a width.
    private func columns(_ width: Double) -> Int { Int(width / (Page.Font.fixedWidth * fixedSize)) }

    mutating func write(_ text: String, _ font: Page.Font = .text, size: Double? = nil) {
        y += pitch
        page.write(text, x: left, y: y, font, size: size ?? textSize)
    }

    mutating func write(_ sentence: Sentence, _ font: Page.Font = .text) { write(sentence.text, font) }

    /// Writes facts in the same letters as a screen shows them.
    /// - Parameters:
    ///   - width: for all of it; nil for the width between the edges.
    ///   - labelWidth: of these labels, if it is another one.
    mutating func write(_ facts: Facts, width: Double? = nil, labelWidth: Double? = nil) {
        let labelWidth = labelWidth ?? self.labelWidth
        let columns = columns((width ?? right - left) - labelWidth)
        for (label, values) in facts {
            for (index, line) in values.flatMap({ $0.lines(of: columns) }).enumerated() {
                y += pitch
                if index == 0 { page.write(label.text, x: left, y: y, size: textSize) }
                page.write(line, x: left + labelWidth, y: y, .fixed, size: fixedSize)
            }
        }
    }

    /// Writes a command that is typed as it stands.
    mutating func write(_ command: ShellCommand) {
        for line in command.lines(width: columns(right - left)) {
            y += pitch
            page.write(line, x: left, y: y, .fixed, size: fixedSize)
        }
    }

    /// Writes a label, and behind it a line to write on by hand.
    /// - Parameter start: where the line begins, from the left edge.
    mutating func writeField(_ label: String, from start: Double, height: Double) {
        y += height
        page.write(label, x: left, y: y, size: textSize)
        page.line(x: left + start, y: y + 1, toX: right, toY: y + 1)
    }

    /// Draws what a pen has no words for; `y` is for the caller to move.
    mutating func draw(_ body: (inout Page) -> Void) { body(&page) }
}
