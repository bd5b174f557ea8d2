internal import SecureMemory

// The rows of a table are in a b-tree (fileformat2.html, 1.6). A page of it begins with, big-endian, behind the file's
// header of 100 bytes if it is page 1:
//
//   offset  length  meaning
//        0       1  5: of an inner page; 13: of a leaf
//        3       2  number of cells
//        8       4  the last page below; inner pages only
//   8 or 12     2n  offsets of the cells in the page
//
// A cell of an inner page: a page below (4), the greatest row ID in it (varint). A cell of a leaf: length of the row
// (varint), row ID (varint), the row; of a long row only the beginning, and the number of a page with the rest (4).

extension DatabaseImage {
    /// Longest row that is read, in bytes. Session files have short ones.
    private static let maxRowCount = 64 * 1024
    /// Most pages of a table that are read.
    private static let maxPages = 1024
    private static let maxDepth = 16

    /// Calls `body` with the rows of a table, in the order of their IDs.
    /// - Parameters:
    ///   - root: number of the table's first page.
    ///   - wanted: the only row to read; nil for all.
    ///   - limit: most rows; a table with more is refused as damaged.
    /// - Throws: `.damaged`; what `body` throws.
    func forEachRow(
        of root: UInt32, only wanted: Int64? = nil, limit: Int,
        _ body: (_ id: Int64, _ row: Span<UInt8>) throws(TelegramSessionError) -> Void
    ) throws(TelegramSessionError) {
        var walk = Walk(wanted: wanted, rowsLeft: limit, pagesLeft: Self.maxPages)
        try visit(root, depth: 0, &walk, body)
    }

    private struct Walk {
        let wanted: Int64?
        var rowsLeft: Int
        var pagesLeft: Int
    }

    private func visit(
        _ number: UInt32, depth: Int, _ walk: inout Walk,
        _ body: (Int64, Span<UInt8>) throws(TelegramSessionError) -> Void
    ) throws(TelegramSessionError) {
        guard depth < Self.maxDepth, walk.pagesLeft > 0 else { throw .damaged }
        walk.pagesLeft -= 1
        let below = try withPage(number) { (page) throws(TelegramSessionError) -> [UInt32] in
            let start = number == 1 ? 100 : 0
            let isInner = page[start] == 5
            guard isInner || page[start] == 13 else { throw .damaged }
            let cells = start + (isInner ? 12 : 8)
            let count = Int(page.number(2, at: start + 3))
            guard cells + 2 * count <= page.count else { throw .damaged }
            var below: [UInt32] = []
            for index in 0..<count {
                var reader = CellReader(at: Int(page.number(2, at: cells + 2 * index)))
                if isInner {
                    let (child, last) = (try reader.number32(page), try reader.varint(page))
                    if let wanted = walk.wanted, wanted > last { continue }
                    below.append(child)
                    if walk.wanted != nil { return below }
                } else {
                    let (total, id) = (try reader.varint(page), try reader.varint(page))
                    if let wanted = walk.wanted, wanted != id { continue }
                    guard walk.rowsLeft > 0, (0...Int64(Self.maxRowCount)).contains(total) else { throw .damaged }
                    walk.rowsLeft -= 1
                    try withRow(Int(total), page, at: reader.position) { (row) throws(TelegramSessionError) in
                        try body(id, row)
                    }
                }
            }
            return isInner ? below + [UInt32(page.number(4, at: start + 8))] : []
        }
        for child in below { try visit(child, depth: depth + 1, &walk, body) }
    }

    /// Lends a row whose beginning is in `page`.
    private func withRow(
        _ total: Int, _ page: Span<UInt8>, at start: Int,
        _ body: (Span<UInt8>) throws(TelegramSessionError) -> Void
    ) throws(TelegramSessionError) {
        // fileformat2.html, 1.6, "Cell Payload Overflow Pages".
        let most = usableCount - 35
        let least = (usableCount - 12) * 32 / 255 - 23
        let kept = least + (total - least) % (usableCount - 4)
        let local = total <= most ? total : kept <= most ? kept : least
        guard start + local <= usableCount else { throw .damaged }
        guard local < total else { return try body(page.extracting(start..<start + local)) }
        guard start + local + 4 <= usableCount else { throw .damaged }
        var row = SecureBuffer(capacity: total)
        row.append(page.extracting(start..<start + local))
        var next = UInt32(page.number(4, at: start + local))
        while row.count < total {
            // The row has a limit, so this ends.
            let part = min(total - row.count, usableCount - 4)
            next = try withPage(next) { (page) throws(TelegramSessionError) in
                row.append(page.extracting(4..<4 + part))
                return UInt32(page.number(4, at: 0))
            }
        }
        let whole = row.finish()
        try whole.withBytes { (row) throws(TelegramSessionError) in try body(row) }
    }
}
