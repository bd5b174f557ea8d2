extension String {
    /// Blanks behind it, so that it has `width` characters.
    /// - Parameter least: how many blanks a longer one gets.
    package func padded(to width: Int, least: Int = 0) -> String {
        self + String(repeating: " ", count: max(least, width - count))
    }
}
