internal import Encodings
internal import Keystore
internal import SafeRules
internal import SafeWire
internal import SecureMemory
internal import Threema
internal import ThreemaSafe

// The history of a run: what it stores there, and what it removes.

extension SafeRun {
    /// Stores the backup that was last fetched from a place, with the Safe key that opens it.
    mutating func keep(_ role: Role) throws -> Answer {
        guard let bytes = found[role]?.bytes else { return .done }
        let digest = digest(of: bytes)
        let secret = withTarget(role) { $0.keys.masterKey.withBytes { SecureBytes(copying: $0) } }
        let backup = HistoryBackup(bytes, digest: digest.bytes, secret: secret)
        let timestamp = keeper.now()
        switch holding {
        case .locked(let identity):
            if case .mirror = verb {
                guard try !identity.holdsMirrored(digest.bytes, of: place.name) else { break }
                try identity.keepHistory(backup, origin: .mirrored, of: place.name, at: timestamp.milliseconds)
            } else {
                try identity.keepHistory(backup, origin: .replaced, of: place.name, at: timestamp.milliseconds)
                // Best effort: too many entries are not an error.
                try? identity.thinHistory(
                    of: place.name, olderThan: (timestamp + .days(-SafeKeeper.historyDays)).milliseconds,
                    keepingNewest: SafeKeeper.leastHistory)
            }
        case .unlocked: break
        }
        return .done
    }

    /// What the history tells if the state is lost: its mirrored backups are judged again, the oldest first.
    mutating func mirrorOfHistory() -> MirrorState? {
        var state = MirrorState()
        for entry in mirroredEntries().reversed() {
            guard let found = describe(entry) else { continue }
            state = MirrorRule().judge(found, state, at: Timestamp(milliseconds: entry.milliseconds)).state
        }
        return state.journal.isEmpty ? nil : state
    }

    /// The newest first.
    private func mirroredEntries() -> [HistoryEntry] {
        let entries: [HistoryEntry]?
        switch holding {
        case .locked(let identity): entries = try? identity.records.history(of: place.name)
        case .unlocked(let records): entries = try? records.history(of: place.name)
        }
        return HistoryOrder.sorted(entries ?? [], by: knowledge().current.mirror).filter { $0.origin != .replaced }
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

    /// Removes the mirrored backups that are not to stay. The normal one stays, because the next ones are compared with
    /// it, and so does one that was replaced on its server, as long as others of its kind.
    func thin(_ retention: Retention) -> Answer {
        let mirrored = mirroredEntries()
        let kept = retention.kept(mirrored.map { Timestamp(milliseconds: $0.milliseconds) })
        let normal = knowledge().current.mirror?.normal.map { Array($0.bytes.prefix(8)) }
        let limit = (keeper.now() + .days(-SafeKeeper.historyDays)).milliseconds
        let rest = mirrored.enumerated().dropFirst().filter { index, entry in
            !kept.contains(index) && entry.digestPrefix != normal
                && (entry.origin == .mirrored || entry.milliseconds < limit)
        }
        switch holding {
        // Best effort: the next run tries again.
        case .locked(let identity): for (_, entry) in rest { try? identity.removeHistory(entry.name, of: place.name) }
        case .unlocked: break
        }
        return .done
    }
}
