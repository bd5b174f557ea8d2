/// Primitives that are broken, or that do not authenticate. Formats and protocols that already exist need them; new
/// ones must not use them. Every use names this type.
public enum Legacy {}
