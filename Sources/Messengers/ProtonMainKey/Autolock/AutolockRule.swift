/// When a key is wiped from memory that has not been used for a while. The rule of the app, without clocks.
///
/// The countdown starts when the key is no longer used: wall clock and uptime are noted. When the key is asked for, the
/// rule decides with the time since then.
public enum AutolockRule: Hashable, Sendable {
    /// The key stays.
    case never
    /// The key is wiped after each use.
    case always
    /// The key is wiped after this many minutes, 1 or more, or if a clock was changed meanwhile.
    case after(minutes: Int)

    /// What happens to the key.
    public enum Decision: String, Hashable, Sendable {
        case keep, lock
    }

    /// The time since the countdown was started, by two clocks.
    public struct Elapsed: Hashable, Sendable {
        /// By the wall clock, in UTC. It is negative if the clock was set back.
        public let wall: Duration
        /// By a clock that cannot be set and counts sleep (CLOCK_BOOTTIME). It is negative after a restart.
        public let uptime: Duration

        /// What two clocks say now, less what they said when the countdown was started.
        public init(wall: Duration, uptime: Duration) {
            self.wall = wall
            self.uptime = uptime
        }
    }

    /// How much the two clocks may differ.
    public static let tolerance: Duration = .seconds(2)

    /// - Parameter minutes: the app's setting: below 0 never, 0 always, else the minutes.
    public init(minutes: Int) {
        self = minutes < 0 ? .never : minutes == 0 ? .always : .after(minutes: minutes)
    }

    /// The app's setting: -1, 0 or the minutes.
    public var minutes: Int {
        switch self {
        case .never: -1
        case .always: 0
        case .after(let minutes): minutes
        }
    }

    /// Decides whether the key stays.
    /// - Parameter elapsed: nil if no countdown was started.
    public func decision(_ elapsed: Elapsed?) -> Decision {
        guard let elapsed else { return .keep }
        switch self {
        case .never: return .keep
        case .always: return .lock
        case .after(let minutes):
            // Exactly the limit keeps the key. 2^32 minutes are 8000 years, and do not overflow.
            if elapsed.wall > .seconds(60 * Int64(clamping: min(minutes, 1 << 32))) { return .lock }
            if elapsed.wall < .zero { return .lock }
            let difference = elapsed.uptime - elapsed.wall
            return difference > Self.tolerance || difference < .zero - Self.tolerance ? .lock : .keep
        }
    }
}
