import Console
import Encodings
import Keystore
import MessengerKeeping
import SafeKeeping
import Threema
import TextSecure
import ThreemaKeeping

extension ArchivedMessengers {
    /// The messengers whose records this program can check, and so import from an archive. A messenger that is missing
    /// here is exported with a warning, and refused by an import.
    static let all = ArchivedMessengers([
        ArchivedMessenger(
            IdentityKeeper.messenger, transient: IdentityKeeper.transientRecords,
            forgetStates: { keystore, records, changes in
                try changes.forgetStates(of: records, except: nil, key: keystore.stateKey, now: WallClock.now())
            }
        ) { records throws(RecordProblem) in try IdentityKeeper.check(records).hex },
        // Their IDs are digests of their keys, so there is no public key to compare.
        ArchivedMessenger(Owner.telegram) { records throws(RecordProblem) in
            try TelegramKeeper.check(records)
            return nil
        },
        ArchivedMessenger(Owner.textSecure) { records throws(RecordProblem) in
            Hex.encode(try TextSecureKeeper.check(records).bytes)
        },
        ArchivedMessenger(Owner.mainKey) { records throws(RecordProblem) in
            try MainKeyKeeper.check(records)
            return nil
        },
        ArchivedMessenger(
            Owner.sophaxChat, transient: SophaxKeeper.transientRecords, dispensable: SophaxKeeper.dispensableRecords
        ) { records throws(RecordProblem) in
            try SophaxKeeper.check(records)
            return nil
        },
    ])
}
