/// A number and its noun.
package enum Counted {
    /// `1 contact`, `2 contacts`.
    package static func text(_ count: Int, _ noun: String) -> String { "\(count) \(noun)" + (count == 1 ? "" : "s") }
}
