package import Encodings
package import Keystore
internal import ObservedTime
internal import SafeRules
internal import Threema
internal import SecureMemory
internal import ThreemaRecords
package import ThreemaSafe

extension SafeKeeper {
    /// One earlier backup of a Safe.
    package struct HistoryItem: Equatable, Sendable {
        /// Counts upwards. No other backup of the place ever had it.
        package let number: Int
        /// When it was stored.
        package let storedAt: Timestamp
        /// Why it is here.
        package let origin: HistoryEntry.Origin
        /// Length of the encrypted backup in bytes.
        package let bytes: Int
        /// What is in it; nil if it does not open.
        package let contents: Contents?

        /// The contents of an opened backup.
        package struct Contents: Equatable, Sendable {
            /// Whether it holds another private key than the keystore.
            package let isOtherKey: Bool
            package let contacts: Int
            package let groups: Int
            /// The app that wrote it, as it says.
            package let device: String?
            /// Generation and time; nil if an app wrote it.
            package let writer: SafeBackup.WriterInfo?
        }
    }

    /// The earlier backups of a place, set up or not, the newest first. Each is opened.
    /// - Throws: `KeystoreError.noIdentity`; `FileError`.
    package func history(of place: SafePlace) throws -> [HistoryItem] {
        let records = try keystore.identity(.threema(place.id))
        let publicKey = try? records.identity().clientKey.publicKey
        return try ordered(records, place).map { item, entry in
            HistoryItem(
                number: item.number, storedAt: Timestamp(milliseconds: entry.milliseconds), origin: entry.origin,
                bytes: entry.count, contents: try? contents(open(entry, records, place), publicKey))
        }
    }

    /// The newest first. An entry that the state does not know gets the number that the next write of the state gives
    /// it. A damaged setup leaves the order of the times.
    private func ordered(
        _ records: borrowing IdentityRecords, _ place: SafePlace
    ) throws -> [(item: HistoryIndex.Item, entry: HistoryEntry)] {
        let entries = try records.history(of: place.name)
        var state = try UploadState(of: records, at: place.name, key: stateKey)
        state.clock.read(now())
        var mirror: MirrorState?
        if let setup = try? records.setup(at: place.name) {
            mirror = state.known(at: TargetDigests.place(of: setup.current, key: stateKey))?.mirror
        }
        state.history.update(HistoryOrder.sorted(entries, by: mirror), at: state.clock.sum)
        return state.history.ordered(entries)
    }

    private func contents(_ backup: borrowing SafeBackup, _ own: PublicKey?) -> HistoryItem.Contents {
        HistoryItem.Contents(
            isOtherKey: own.map { $0 != backup.clientKey.publicKey } ?? false,
            contacts: backup.document.contactCount, groups: backup.document.groupCount,
            device: backup.document.device, writer: backup.writerInfo)
    }

    /// Opens an earlier backup.
    /// - Parameter number: as in `history`.
    /// - Throws: `SafeKeepingError.noSuchEntry`; `SafeBackupError`; `KeystoreError.damaged`.
    package func earlierBackup(_ number: Int, of place: SafePlace) throws -> SafeBackup {
        let records = try keystore.identity(.threema(place.id))
        return try open(entry(number, records, place), records, place)
    }

    /// The encrypted bytes of an earlier backup.
    /// - Parameter number: as in `history`.
    /// - Throws: `SafeKeepingError.noSuchEntry`; `KeystoreError.damaged`.
    package func earlierBytes(_ number: Int, of place: SafePlace) throws -> [UInt8] {
        let records = try keystore.identity(.threema(place.id))
        return try records.readHistory(entry(number, records, place).name, of: place.name).bytes
    }

    private func entry(
        _ number: Int, _ records: borrowing IdentityRecords, _ place: SafePlace
    ) throws -> HistoryEntry {
        let entries = try ordered(records, place)
        guard let found = entries.first(where: { $0.item.number == number }) else {
            throw SafeKeepingError.noSuchEntry(id: place.id.text, number: number, count: entries.count)
        }
        return found.entry
    }

    /// Opens an entry with its own Safe key, or with that of the setup if an earlier version stored it without one.
    private func open(
        _ entry: HistoryEntry, _ records: borrowing IdentityRecords, _ place: SafePlace
    ) throws -> SafeBackup {
        let stored = try records.readHistory(entry.name, of: place.name)
        switch stored.safeKeys {
        case .some(let keys): return try SafeBackup.open(stored.bytes.span, keys: keys)
        case .none:
            return try SafeBackup.open(stored.bytes.span, keys: records.requiredSetup(at: place.name).current.keys)
        }
    }
}

extension HistoryBackup {
    /// The Safe keys that open it; nil if an earlier version stored it without them.
    var safeKeys: SafeKeys? {
        guard secret.count == SafeKeys.masterKeyCount else { return nil }
        return SafeKeys(masterKey: secret.withBytes { SecureBytes(copying: $0) })
    }
}
