import Console
import Encodings
import SafeStore

extension SweepCounts {
    /// Says if a directory may soon be full; nil if not. It names neither accounts nor paths.
    var warning: String? {
        guard isNearLimit else { return nil }
        return "a directory of the store has \(names) names, and ext4 without large_dir has room for 4.4 million: "
            + "see LARGE STORES in keytool-server(8)"
    }
}

extension SweepSuspicion {
    /// The sentence.
    var sentence: String {
        switch self {
        case .wentBackwards(let by): "the clock has gone back by \(Self.days(by))"
        case .jumped(let by): "the clock has jumped by \(Self.days(by))"
        case .leapt: "the clock has moved on by more than a week at once, and may be wrong"
        case .tooMany(let expired, let total): "\(expired) of \(Counted.backups(total)) would expire at once"
        }
    }

    /// In snake case, for JSON.
    var reason: String {
        switch self {
        case .wentBackwards: "clock_behind"
        case .jumped: "clock_jumped"
        case .leapt: "clock_leapt"
        case .tooMany: "too_many_expired"
        }
    }

    /// The failure of a sweep that was not forced.
    var refusal: Failure {
        Failure(
            .failed, sentence + "; nothing was deleted",
            hints: "check the clock; --dry-run -v shows the backups, --force deletes them"
        ).because(of: reason)
    }

    private static func days(_ time: Duration) -> String {
        let days = (time < .zero ? .zero - time : time) / .days(1)
        return days < 1 ? "less than a day" : days < 2 ? "more than a day" : "\(Int(days)) days"
    }
}
