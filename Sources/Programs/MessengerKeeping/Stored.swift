/// What became of an identity that was to be stored.
package enum Stored<Additions: Equatable & Sendable>: Equatable, Sendable {
    case new
    /// The keystore has it, and lacked nothing. Nothing was changed.
    case held
    /// The keystore has it, and has learned what it lacked.
    case extended(Additions)
}
