import Paper

/// Blocks one below the other, on as many pages as they need. A block is not broken.
struct PageFlow {
    /// Those that are full.
    private var pages: [Page] = []
    private let empty: PagePen
    private let bottom: Double
    private var pen: PagePen

    /// - Parameters:
    ///   - pen: on an empty page, at its top.
    ///   - bottom: where a page ends.
    init(_ pen: PagePen, bottom: Double) {
        empty = pen
        self.pen = pen
        self.bottom = bottom
    }

    /// Writes a block on this page, or on the next one if it does not fit.
    /// - Throws: `RecoveryCardError.tooLong` if it fits on none.
    mutating func add(_ block: (inout PagePen) -> Void) throws {
        var next = pen
        block(&next)
        if next.y > bottom {
            pages.append(pen.page)
            next = empty
            block(&next)
            guard next.y <= bottom else { throw RecoveryCardError.tooLong }
        }
        pen = next
    }

    /// The pages, with the last one.
    var finished: [Page] { pages + [pen.page] }
}
