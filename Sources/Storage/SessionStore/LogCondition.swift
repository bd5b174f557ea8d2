/// What the bytes of a log tell about its transactions.
///
/// SQLite takes every fault for the end of the log. But only the last transaction can be unfinished: the first frame of
/// the next one is written after the sync of the one before it. So a log is damaged if behind its first fault a frame
/// continues the checksum of another one that ends a transaction. This proves that the fault is in a part that was
/// synced.
///
/// What is behind the first fault need not be of the last transaction: a transaction that was rolled back, or that did
/// not fit on the disk, leaves frames with the same salts, which a shorter one overwrites only in part. Their checksums do
/// not continue those of the shorter one, so they prove nothing. Neither do frames of a log that was begun again: they have
/// other salts.
enum LogCondition: Equatable {
    /// The log is empty, or its transactions are complete, up to the last one.
    case sound
    /// The last transaction is unfinished, as after a power cut, or damaged: that looks alike. SQLite ignores it.
    case torn
    /// A transaction before the last one is damaged. SQLite would ignore it and all that follow.
    case damaged
}

extension LogCondition {
    /// Reads a log once, frame by frame; if its header is damaged, up to 16 times. The memory used is that of a frame, at
    /// most 64 KiB.
    /// - Parameters:
    ///   - count: length of the log in bytes. Nothing behind it is read.
    ///   - read: fills what it gets from this offset on, and returns how many bytes there were: fewer only at the end.
    /// - Throws: what `read` throws.
    init<E>(
        ofLog count: Int, _ read: @escaping (inout MutableSpan<UInt8>, _ offset: Int) throws(E) -> Int
    ) throws(E) {
        let log = LogBytes(count: count, read: read)
        guard count > 0 else {
            self = .sound
            return
        }
        guard let header = try log.withHeader({ LogHeader($0) }) ?? nil else {
            self = try Self.hasTransactions(log) ? .damaged : .torn
            return
        }
        var chain = LogChain(header)
        let isRead = try log.forEachFrame(pageCount: header.pageCount) { frame in
            chain.add(frame)
            return chain.condition != .damaged
        }
        // The rest of a frame that was not written, or not extended.
        self = !isRead && chain.condition == .sound ? .torn : chain.condition
    }

    /// Whether a log whose header does not verify has a complete transaction that another one follows. The header is
    /// synced before the first frame is written.
    private static func hasTransactions<E>(_ log: borrowing LogBytes<E>) throws(E) -> Bool {
        for order in LogChecksum.Order.allCases {
            for pageCount in LogHeader.pageCounts {
                var former: LogFrame?
                var isFound = false
                _ = try log.forEachFrame(pageCount: pageCount) { frame in
                    let fields = LogFrame(frame)
                    if let former, former.endsTransaction, former.salts == fields.salts {
                        isFound = LogFrame.checksum(of: frame, after: former.checksum, order) == fields.checksum
                    }
                    former = fields
                    return !isFound
                }
                if isFound { return true }
            }
        }
        return false
    }
}

/// Follows the frames of a log whose header verifies.
private struct LogChain {
    private let header: LogHeader
    /// Of the frame before, or of the header: the checksum that stands in it, and the one that it should have.
    private var stored: LogChecksum
    private var computed: LogChecksum
    private var formerEndsTransaction = false
    /// Whether every frame verifies so far.
    private var isWhole = true
    private(set) var condition = LogCondition.sound

    init(_ header: LogHeader) {
        self.header = header
        stored = header.checksum
        computed = header.checksum
    }

    mutating func add(_ frame: Span<UInt8>) {
        let fields = LogFrame(frame)
        let checksum = LogFrame.checksum(of: frame, after: stored, header.order)
        // If only the checksum of the frame before is damaged, this one continues what stood there.
        let isNext =
            fields.checksum == checksum
            || computed != stored
                && fields.checksum == LogFrame.checksum(of: frame, after: computed, header.order)
        let isOwn = fields.salts == header.salts
        if isWhole && isOwn && fields.page != 0 && fields.checksum == checksum {
            condition = fields.endsTransaction ? .sound : .torn
        } else {
            if !isWhole && isOwn && isNext && formerEndsTransaction {
                condition = .damaged
            } else if isOwn || isWhole && isNext {
                condition = .torn
            }
            isWhole = false
        }
        stored = fields.checksum
        computed = checksum
        formerEndsTransaction = fields.endsTransaction
    }
}

/// The bytes of a log, wherever they are.
private struct LogBytes<E: Error> {
    let count: Int
    let read: (inout MutableSpan<UInt8>, _ offset: Int) throws(E) -> Int

    /// Lends the header.
    /// - Returns: nil if the log is shorter.
    func withHeader<Result>(_ body: (Span<UInt8>) -> Result) throws(E) -> Result? {
        var header = [UInt8](repeating: 0, count: LogHeader.count)
        guard count >= header.count, try fill(&header, at: 0) else { return nil }
        return body(header.span)
    }

    /// Lends each complete frame until `body` returns false.
    /// - Returns: false if the log does not end with a complete frame.
    func forEachFrame(pageCount: Int, _ body: (Span<UInt8>) -> Bool) throws(E) -> Bool {
        var frame = [UInt8](repeating: 0, count: LogFrame.overhead + pageCount)
        var offset = LogHeader.count
        while count - offset >= frame.count {
            guard try fill(&frame, at: offset) else { return false }
            guard body(frame.span) else { return true }
            offset += frame.count
        }
        return offset == count
    }

    private func fill(_ buffer: inout [UInt8], at offset: Int) throws(E) -> Bool {
        var bytes = buffer.mutableSpan
        return try read(&bytes, offset) == bytes.count
    }
}
