internal import Encodings
internal import Keystore
package import SafeWire
internal import SecureMemory
internal import Threema
internal import ThreemaSafe

/// Operations on the Safe backup of an identity, one in each file beside this one.
///
/// Clock and transport are parameters, so that every interruption and every time can be tested.
package struct SafeKeeper: Sendable {
    let keystore: OpenKeystore
    let now: @Sendable () -> Timestamp
    let connect: Connect
    let sleep: @Sendable (Duration) -> Void

    /// Makes the exchange with a server for one backup, whose id may be part of the address.
    package typealias Connect = @Sendable (borrowing SafeEndpoint, BackupID) -> any SafeExchange

    func connect(_ target: borrowing SafeTarget) -> any SafeExchange { connect(target.server, target.keys.backupID) }

    var stateKey: SecureBytes { keystore.stateKey }
}
