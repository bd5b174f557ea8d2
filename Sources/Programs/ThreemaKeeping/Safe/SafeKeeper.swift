internal import Encodings
internal import Keystore
package import SafeWire
internal import SecureMemory
package import Threema
internal import ThreemaSafe

/// The verbs on the Safe backup of an identity: each file beside this one adds one of them.
///
/// What they need from outside, the clock and the way to a server, is given here, so that every
/// interruption and every moment can be tested.
package struct SafeKeeper: Sendable {
    let keystore: OpenKeystore
    let now: @Sendable () -> Timestamp
    let connect: Connect
    let sleep: @Sendable (Duration) -> Void

    /// The way to a server, for one backup: its id may be part of the address.
    package typealias Connect = @Sendable (borrowing SafeEndpoint, BackupID) -> any SafeExchange

    func connect(_ target: borrowing SafeTarget) -> any SafeExchange { connect(target.server, target.keys.backupID) }

    var stateKey: SecureBytes { keystore.stateKey }

    /// Whether a Safe is set up; its record is not opened.
    /// - Throws: `KeystoreError.noIdentity`.
    package func isSetUp(_ id: ThreemaID) throws -> Bool { try keystore.identity(.threema(id)).contains(.safe) }
}
