package import Encodings

/// How far the wall clock was ahead of the store's time, at each time of the store. So the times of files become those
/// of the wall clock, also of files from before a clock was wrong.
///
/// In `DIR/clock`: `"leads":[[1795262400000,0],[1795867200000,-604800000]]`, each with the store's time from which it
/// counts. The first one counts before that, too.
package struct StoreLeads: Hashable, Sendable {
    private struct Period: Hashable, Sendable {
        /// By the store's time.
        var start: Timestamp
        var lead: Duration
    }

    /// In order; never empty.
    private var periods: [Period]

    /// More are not stored: the oldest one goes.
    static let most = 16
    /// A wall clock that was wrong for less time, and then was right again, has no period of its own.
    private static let shortest = Duration.hours(1)
    /// A change that is smaller is none.
    private static let tolerance = Duration.seconds(1)

    init(_ lead: Duration, from start: Timestamp) { periods = [Period(start: start, lead: lead)] }

    /// One lead for all times.
    package init(_ lead: Duration) { self.init(lead, from: Timestamp(milliseconds: 0)) }

    /// - Returns: nil if these are no stored leads.
    init?(_ value: JSONValue?) {
        guard let pairs = value?.array, (1...Self.most).contains(pairs.count) else { return nil }
        periods = []
        for pair in pairs {
            guard let numbers = pair.array, numbers.count == 2, let start = numbers[0].integer,
                let lead = numbers[1].integer
            else { return nil }
            periods.append(Period(start: Timestamp(milliseconds: start), lead: .milliseconds(lead)))
        }
    }

    var value: JSONValue {
        .array(periods.map { .array([.number($0.start.milliseconds), .number($0.lead.milliseconds)]) })
    }

    /// The lead at a time of the store.
    package func lead(at time: Timestamp) -> Duration { (periods.last { $0.start <= time } ?? periods[0]).lead }

    /// The wall clock at a time of the store.
    package func wall(at time: Timestamp) -> Timestamp { time + lead(at: time) }

    /// Adds a reading.
    /// - Parameter previous: the store's time at the reading before.
    mutating func read(_ lead: Duration, at now: Timestamp, after previous: Timestamp) {
        let last = periods[periods.count - 1]
        guard (lead - last.lead).magnitude >= Self.tolerance else { return }
        if periods.count > 1, previous - last.start < Self.shortest {
            let before = periods[periods.count - 2].lead
            // A clock that was wrong comes back. What was stored meanwhile has the right time as well as it can be known.
            if (last.lead > before) == (lead < last.lead) {
                periods[periods.count - 1] = Period(start: min(last.start, now), lead: lead)
                if (lead - before).magnitude < Self.tolerance { periods.removeLast() }
                return
            }
        }
        // If the store's time stands still, files of before have this time, too. The smaller lead is likely to be right.
        let isNow = now > previous || lead.magnitude < last.lead.magnitude
        let start = isNow ? now : now + .milliseconds(1)
        periods.append(Period(start: start, lead: lead))
        if periods.count > Self.most { periods.removeFirst() }
    }
}

extension Duration {
    fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
