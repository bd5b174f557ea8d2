/// Decides which of many equal lines are written: one a minute, with the number of those that were left out before it.
/// So a flood of the same failure does not fill the log.
package struct RepeatedLines {
    /// The time from one line to the next equal one.
    private static let interval = Duration.seconds(60)
    /// Most different lines that are remembered. Beyond that, the count of one of them is lost.
    private static let capacity = 64

    private struct Written {
        let time: Duration
        var leftOut = 0
    }

    private var written: [String: Written] = [:]

    /// Nothing is written yet.
    package init() {}

    /// - Parameter now: by a monotonic clock.
    /// - Returns: the line to write; nil for none.
    package mutating func line(_ text: String, at now: Duration) -> String? {
        if let last = written[text], now - last.time < Self.interval {
            written[text]?.leftOut += 1
            return nil
        }
        let leftOut = written[text]?.leftOut ?? 0
        if written[text] == nil, written.count >= Self.capacity,
            let oldest = written.min(by: { $0.value.time < $1.value.time })
        {
            written[oldest.key] = nil
        }
        written[text] = Written(time: now)
        return leftOut == 0 ? text : "\(text) (\(leftOut) more since the last such line)"
    }
}
