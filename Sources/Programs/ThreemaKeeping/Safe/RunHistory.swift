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
                // The names order the entries, so a clock that goes back must not put this one before an older one.
                let newest = try identity.records.history(of: .main).first?.milliseconds ?? .min
                let milliseconds = max(timestamp.milliseconds, newest == .max ? newest : newest + 1)
                try identity.keepHistory(backup, origin: .mirrored, of: .main, at: milliseconds)
            } else {
                try identity.keepHistory(backup, origin: .replaced, of: .main, at: timestamp.milliseconds)
                // Best effort: too many entries are not an error.
                try? identity.thinHistory(
                    of: .main, olderThan: (timestamp + .days(-SafeKeeper.historyDays)).milliseconds,
                    keepingNewest: SafeKeeper.leastHistory)
            }
        case .unlocked: break
        }
        return .done
    }

    /// What the history tells if the state is lost: its mirrored backups are judged again, the oldest first. Those of an
    /// earlier Safe password are skipped.
    mutating func mirrorOfHistory() -> MirrorState? {
        var state = MirrorState()
        for entry in mirroredEntries().reversed() {
            guard let bytes = historyBytes(entry.name) else { continue }
            let found = describe(StoredBackup(bytes: bytes), .current)
            guard case .authentic = found else { continue }
            state = MirrorRule().judge(found, state, at: Timestamp(milliseconds: entry.milliseconds)).state
        }
        return state.journal.isEmpty ? nil : state
    }

    /// The newest first.
    private func mirroredEntries() -> [HistoryEntry] {
        let entries: [HistoryEntry]?
        switch holding {
        case .locked(let identity): entries = try? identity.records.history(of: .main)
        case .unlocked(let records): entries = try? records.history(of: .main)
        }
        return (entries ?? []).filter { $0.origin == .mirrored }
    }

    private func historyBytes(_ name: String) -> [UInt8]? {
        switch holding {
        case .locked(let identity): try? identity.records.readHistory(name, of: .main).bytes
        case .unlocked(let records): try? records.readHistory(name, of: .main).bytes
        }
    }

    /// Removes the mirrored backups that are not to stay. The normal one stays: the next ones are compared with it.
    func thin(_ retention: Retention) -> Answer {
        let mirrored = mirroredEntries()
        let kept = retention.kept(mirrored.map { Timestamp(milliseconds: $0.milliseconds) })
        let normal = knowledge().current.mirror?.normal.map { Array($0.bytes.prefix(8)) }
        let rest = mirrored.enumerated().dropFirst().filter { index, entry in
            !kept.contains(index) && entry.digestPrefix != normal
        }
        switch holding {
        // Best effort: the next run tries again.
        case .locked(let identity): for (_, entry) in rest { try? identity.removeHistory(entry.name, of: .main) }
        case .unlocked: break
        }
        return .done
    }
}
