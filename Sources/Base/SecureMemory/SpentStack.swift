internal import CSodium

/// Wipes the part of the stack that a finished call has used.
///
/// libsodium and libargon2 leave blocks of the key there: keys were found in the memory of an ending process, and of
/// one that waited at a prompt.
package enum SpentStack {
    /// In bytes; more than any primitive uses.
    private static let count = 16 * 1024

    /// Wipes 16 KiB below the caller's frame. Call it from the function that called the library, when that has
    /// returned.
    @inline(never)
    package static func wipe() { sodium_stackzero(count) }
}
