/// How long a secret is expected to live, which decides how its pages are protected.
public enum SecretLife: Sendable {
    /// It is read-only once filled.
    case long
    /// A message of a conversation replaces it, or will. Its page stays writable, because to make it read-only and
    /// writable again takes longer than all that is done with such a key. Otherwise it is guarded in the same way. A
    /// secret of more than 4,048 bytes is read-only whatever its life.
    case brief
}
