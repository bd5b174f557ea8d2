internal import CSodium

/// Initialises libsodium once. `sodium_malloc` before `sodium_init` aborts the process, so every function that uses
/// guarded memory or a cipher of libsodium calls `start` first.
package enum Sodium {
    /// Initialises libsodium on the first call.
    package static func start() {
        precondition(isReady, "libsodium could not be started")
    }

    // sodium_init returns 0 on the first call, 1 on later ones, and -1 on failure.
    private static let isReady = sodium_init() >= 0
}
