import Console

// The codes that only this program has, beside those that every program has.
extension Failure.Status {
    /// Somebody has not uploaded for too long.
    static let overdue = Self(18, "overdue")
}
