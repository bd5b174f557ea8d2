internal import Encodings
internal import Keystore
internal import ObservedTime
internal import SafeRules
internal import SafeWire
internal import SecureMemory
internal import Threema
internal import ThreemaRecords
internal import ThreemaSafe

// The history of a run: what it stores there, and what it removes.

extension SafeRun {
    /// Stores the backup that was last fetched from a place.
    mutating func keep(_ role: Role) throws -> Answer {
        guard let bytes = found[role]?.bytes else { return .done }
        let isMirror = if case .mirror = verb { true } else { false }
        try keep(bytes, role, origin: isMirror ? .mirrored : .replaced)
        return .done
    }

    /// Stores a backup, with the Safe key of the place, which opens it.
    mutating func keep(_ bytes: [UInt8], _ role: Role, origin: HistoryEntry.Origin) throws {
        let digest = digest(of: bytes)
        let secret = withTarget(role) { $0.keys.masterKey.withBytes { SecureBytes(copying: $0) } }
        let backup = HistoryBackup(bytes, digest: digest.bytes, secret: secret)
        let timestamp = keeper.now()
        switch holding {
        case .locked(let identity):
            guard try origin != .mirrored || !identity.holdsMirrored(digest.bytes, of: place.name) else { return }
            try identity.keepHistory(backup, origin: origin, of: place.name, at: timestamp.milliseconds)
        case .unlocked: return
        }
        state.clock.read(timestamp)
        updateHistory()
        // A mirror is thinned out after a success only.
        guard origin != .mirrored else { return }
        remove(state.history.expired(of: entries() ?? [], by: state.clock))
    }

    /// Enters the entries in the state. If they cannot be listed now, the state stays.
    mutating func updateHistory() {
        guard let entries = entries() else { return }
        state.history.update(HistoryOrder.sorted(entries, by: knowledge().current.mirror), at: state.clock.sum)
    }

    /// The newest first, by time.
    private func entries() -> [HistoryEntry]? {
        switch holding {
        case .locked(let identity): try? identity.records.history(of: place.name)
        case .unlocked(let records): try? records.history(of: place.name)
        }
    }

    /// Best effort: too many entries are not an error, and the next run tries again.
    private func remove(_ entries: [HistoryEntry]) {
        switch holding {
        case .locked(let identity): for entry in entries { try? identity.removeHistory(entry.name, of: place.name) }
        case .unlocked: break
        }
    }

    /// What the history tells if the state is lost: its mirrored backups are judged again, the oldest first.
    func mirrorOfHistory() -> MirrorState? {
        var mirror = MirrorState()
        for (item, entry) in state.history.ordered(entries() ?? []).reversed() where entry.origin != .replaced {
            guard let found = describe(entry) else { continue }
            let time = ObservedTimestamp(sum: item.sum, wall: Timestamp(milliseconds: entry.milliseconds))
            mirror = MirrorRule().judge(found, mirror, at: time).state
        }
        return mirror.journal.isEmpty ? nil : mirror
    }

    /// Opens an entry with its own Safe key.
    /// - Returns: nil if it cannot be read or does not authenticate.
    private func describe(_ entry: HistoryEntry) -> Found? {
        switch holding {
        case .locked(let identity): describe(entry, identity.records)
        case .unlocked(let records): describe(entry, records)
        }
    }

    private func describe(_ entry: HistoryEntry, _ records: borrowing IdentityRecords) -> Found? {
        guard let stored = try? records.readHistory(entry.name, of: place.name), let digest = Digest(stored.digest),
            let keys = stored.safeKeys
        else { return nil }
        do throws(SafeBackupError) {
            let backup = try SafeBackup.open(stored.bytes.span, keys: keys)
            return .authentic(
                digest: digest,
                .init(
                    backup.clientKey.publicKey == publicKey ? .otherDocument : .otherKey, document: .none,
                    contacts: backup.document.contactCount))
        } catch {
            switch error {
            case .tooShort, .notAuthentic: return nil
            default:
                return .authentic(digest: digest, .init(.notUnderstood, document: .none))
            }
        }
    }

    /// Removes the mirrored backups that are not to stay.
    func thin(_ retention: Retention) -> Answer {
        remove(
            state.history.superfluous(
                of: entries() ?? [], retention, normal: knowledge().current.mirror?.normal, by: state.clock))
        return .done
    }
}
