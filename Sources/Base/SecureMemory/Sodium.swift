internal import CSodium

/// The one start of libsodium. `sodium_malloc` before `sodium_init` aborts the process, so every
/// entrance to guarded memory and to libsodium's ciphers passes here; a lazy global runs once.
package enum Sodium {
    /// Starts libsodium on first use.
    package static func start() {
        precondition(isReady, "libsodium could not be started")
    }

    // sodium_init answers 0 the first time and 1 when somebody was faster; only -1 is a failure.
    private static let isReady = sodium_init() >= 0
}
