public import Encodings

/// A time as the app writes it: seconds since 2001-01-01T00:00:00Z, a double.
public struct AppTime: Equatable, Sendable {
    /// Seconds from 1970 to 2001.
    private static let epoch = 978_307_200.0
    /// Largest distance from 2001 in seconds: some 30,000 years, so that milliseconds fit 64 bits.
    private static let limit = 1e12
    /// Seconds since 2001.
    public let seconds: Double

    /// - Returns: nil if the number is not finite, or further than 10¹² from 0.
    public init?(seconds: Double) {
        guard seconds.isFinite, abs(seconds) <= Self.limit else { return nil }
        self.seconds = seconds
    }

    /// The nearest time to a timestamp that this form has.
    public init(_ timestamp: Timestamp) {
        let seconds = Double(timestamp.milliseconds) / 1000 - Self.epoch
        self.seconds = min(max(seconds, -Self.limit), Self.limit)
    }

    /// The same time in milliseconds since 1970, rounded to the nearest.
    public var timestamp: Timestamp {
        Timestamp(milliseconds: Int64(((seconds + Self.epoch) * 1000).rounded()))
    }

    /// The double's 8 bytes, little endian.
    var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: seconds.bitPattern >> (8 * UInt64($0))) } }

    /// As it stands in JSON.
    package var literal: String {
        seconds == seconds.rounded() && abs(seconds) < 1e15 ? String(Int64(seconds)) : "\(seconds)"
    }
}
