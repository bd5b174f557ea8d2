package import Encodings

/// The time by two clocks at one moment.
package struct ClockReading: Equatable, Sendable {
    /// The system's clock, which can be set.
    package let wall: Timestamp
    /// Milliseconds since the machine was started, the time that it slept included. Nobody can set this clock.
    package let uptimeMilliseconds: Int64

    /// Every value is valid.
    package init(wall: Timestamp, uptimeMilliseconds: Int64) {
        self.wall = wall
        self.uptimeMilliseconds = uptimeMilliseconds
    }
}
