internal import CSodium

/// Wipes the part of the stack that a finished call has used.
///
/// libsodium and libargon2 leave blocks of the key there: keys were found in the memory of an ending process, and of
/// one that waited at a prompt.
package enum SpentStack {
    /// How much of the stack is wiped, in bytes.
    package enum Depth: Int {
        /// More than any primitive uses.
        case any = 16_384
        /// For what is called for each frame of a chat or call: XSalsa20-Poly1305 and AES-256-GCM use up to 1.9 KiB, the
        /// rest is for the functions between. Tests look for what is left below.
        case shallow = 4096
    }

    /// Wipes the stack below the caller's frame. Call it from the function that called the library, when that has
    /// returned.
    @inline(never)
    package static func wipe(_ depth: Depth = .any) { sodium_stackzero(depth.rawValue) }
}
