package import Encodings
package import Keystore
package import SafeWire
package import SecureMemory
internal import ThreemaRecords
internal import ThreemaSafe

/// Operations on the Safe backup of an identity, one in each file beside this one.
///
/// Clock and transport are parameters, so that every interruption and every time can be tested.
package struct SafeKeeper: Sendable {
    let keystore: OpenKeystore
    package let now: @Sendable () -> Timestamp
    let connect: Connect
    package let sleep: @Sendable (Duration) -> Void

    /// Operates on the identities of a keystore.
    /// - Parameters:
    ///   - now: returns the time of the system's clock.
    ///   - connect: makes the exchange with a server.
    ///   - sleep: waits, for example between two looks at a server.
    package init(
        keystore: OpenKeystore, now: @escaping @Sendable () -> Timestamp, connect: @escaping Connect,
        sleep: @escaping @Sendable (Duration) -> Void
    ) {
        self.keystore = keystore
        self.now = now
        self.connect = connect
        self.sleep = sleep
    }

    /// Makes the exchange with a server for one backup, whose id may be part of the address.
    package typealias Connect = @Sendable (borrowing SafeEndpoint, BackupID) -> any SafeExchange

    func connect(_ target: borrowing SafeTarget) -> any SafeExchange { connect(target.server, target.keys.backupID) }

    var stateKey: SecureBytes { keystore.stateKey }
}

extension OpenKeystore {
    /// The key of the digests in `UploadState`.
    package var stateKey: SecureBytes { digestKey(UploadState.digestPurpose) }
}
