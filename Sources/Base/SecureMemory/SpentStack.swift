internal import CSodium

/// The part of the stack that a finished call has used.
///
/// libsodium and libargon2 keep blocks of the key there while they work, and leave them: keys were found in the
/// memory of an ending process, and of one waiting at a prompt.
package enum SpentStack {
    /// More than the deepest of the primitives uses.
    private static let count = 16 * 1024

    /// Wipes it. Called when the work is done, from the function that called the library.
    @inline(never)
    package static func wipe() { sodium_stackzero(count) }
}
