import Encodings
import SafeRules

// What is judged of a run, whatever it says of itself.

extension ModelRun {
    func describe(_ blob: Blob?) -> Found {
        guard let blob else { return .nothing }
        guard !blob.isDamaged else { return .unauthentic(digest: blob.digest) }
        return .authentic(
            digest: blob.digest,
            .init(
                blob.key != keystore.key
                    ? .otherKey : blob.document == keystore.document ? .same : .otherDocument,
                document: world.documentDigest(blob.document),
                writer: blob.writer.map {
                    .init(isThisKeystore: Int($0) == index, generation: blob.generation, writtenAt: world.now)
                }, contacts: 10))
    }

    /// `--overwrite` is about the present place; of a change, also about the one that it leads to.
    func isOverwriting(_ role: Role) -> Bool {
        guard command.isOverwriting else { return false }
        if case .push = command { return role == .current }
        return role != .retiring
    }

    mutating func look(_ role: Role, _ blob: Blob?) {
        if let target = targets[role], isOverwriting(role), agreedAt.insert(target).inserted, let blob {
            agreed.insert(blob.number)
        }
        let isEqual = blob.map { $0.key == keystore.key && $0.document == keystore.document } ?? false
        looks[role] = (
            blob.map { !$0.isDamaged && (keystore.isOwn.contains($0.number) || isEqual) } ?? false, world.now
        )
    }

    /// A write arrives: (a) nothing is replaced or deleted that this keystore did not send or pull, or whose loss
    /// nobody agreed to; and it lies in the history.
    mutating func write(_ new: Blob?, at role: Role) {
        let slot = slot(role)
        let victim = world.stored[slot.place][slot.password]
        world.stored[slot.place][slot.password] = new
        if let new { world.keystores[index].isOwn.insert(new.number) }
        if new == nil, role == .current, case .push = verb {
            report.violations.append(Violation(words: "(e) a push carries out a deletion"))
        }
        if role == .next, new == nil, case .abort = verb { world.keystores[index].hasCancelled = true }
        if role == .next, new != nil, case .push = verb, keystore.hasCancelled {
            report.violations.append(Violation(words: "(i) a push finishes a change that was cancelled"))
        }
        guard let victim, victim.number != new?.number else { return }
        let journalIsEmpty = keystore.setup?.knowledge[role]?.journal.sent.count ?? 0 <= 1
        let isOurs =
            victim.isDamaged || keystore.isOwn.contains(victim.number) || agreed.contains(victim.number)
            || new != nil && journalIsEmpty && victim.key == keystore.key && victim.document == keystore.document
            || keystore.setup?.knowledge.consents.contains(victim.digest) ?? false
        // What is longer than what is read cannot be kept.
        guard !isOurs || !keystore.history.contains(victim.number) && !victim.isTooLong else { return }
        let what =
            "\(new == nil ? "deleted" : "replaced") \(isOurs ? "without keeping" : "foreign") \(victim.number) at \(role)"
        let lies = (lies[targets[role]] ?? 0) + (lies[nil] ?? 0)
        // What no rule closes.
        if interlopers.contains(victim.number), !terms.honoursConditions {
            report.exceptions.append("a write between our look and ours, on a server that ignores conditions")
        } else if lies > 1 {
            report.exceptions.append("a server that lies consistently")
        } else if lies == 1, !terms.honoursConditions, !expectedBackup(role) {
            report.exceptions.append("a lie where nothing is expected, on a server that ignores conditions")
        } else {
            report.violations.append(Violation(words: "(a) \(what)"))
        }
    }

    func expectedBackup(_ role: Role) -> Bool {
        keystore.setup?.knowledge[role]?.expectsBackup ?? false
    }

    /// (b) and (c): who says 0 tells the truth.
    mutating func finish(_ outcome: Outcome) {
        report.outcome = outcome
        // A backup with the keystore's own content, where nothing was known: from now on it is.
        if verb == .check, outcome.standing == .own, case .some(.some(let blob)) = found[.current] {
            world.keystores[index].isOwn.insert(blob.number)
        }
        judgeDeletion(outcome)
        if case .mirror = verb { return judgeMirroring(outcome) }
        if case .check = verb, keystore.setup?.knowledge.isReadOnly == true { return }
        guard outcome.failure == nil else {
            noteLook()
            return
        }
        switch verb {
        case .push, .check, .change:
            guard keystore.setup != nil, outcome.result != .readdressed else { break }
            if let lastLook {
                if !lastLook.good {
                    report.violations.append(Violation(words: "(b) \(verb.word) says 0 after a look that was not good"))
                }
            } else if case .push = verb {
                let isRecent = keystore.goodLook.map { world.now - $0 <= .days(7) } ?? false
                if keystore.hasBadLook || !isRecent {
                    report.violations.append(
                        Violation(
                            words: "(b) push says 0 unasked, "
                                + (keystore.hasBadLook ? "after a look that failed" : "7 days after the last look")))
                }
            }
            judgeTruth(verb, outcome)
        default: break
        }
        noteLook()
    }

    /// (c) What a run says of the server is so, unless somebody lied to it.
    mutating func judgeTruth(_ verb: SafeVerb, _ outcome: Outcome) {
        guard lies.isEmpty, lastLook != nil, interlopers.isEmpty else { return }
        if let blob = blob(.current), keystore.isOwn.contains(blob.number) || verb == .check { return }
        report.violations.append(Violation(words: "(c) \(verb.word) says 0, and there is no good backup"))
    }

    /// (g) A mirror stores what it found if that authenticates and was not stored before, says 0 of nothing else than
    /// the newest backup, and makes nothing known.
    mutating func judgeMirroring(_ outcome: Outcome) {
        guard case .some(let blob) = found[.current], let mirror = keystore.setup?.knowledge.current.mirror else {
            return
        }
        if let blob, !blob.isDamaged, !blob.isTooLong, !keystore.history.contains(blob.number) {
            report.violations.append(Violation(words: "(g) a mirror does not store \(blob.number)"))
        }
        let isNewest = blob.map { mirror.journal.last == $0.digest && $0.key == keystore.key } ?? false
        if outcome.failure == nil, !isNewest {
            report.violations.append(Violation(words: "(g) a mirror says 0, and this is not the newest backup"))
        }
        let known = keystore.setup?.knowledge.current.journal.sent ?? []
        if let blob, known.contains(blob.digest), !keystore.isOwn.contains(blob.number) {
            report.violations.append(Violation(words: "(g) a mirror makes \(blob.number) known"))
        }
    }

    /// (h) A mirror writes nothing to a server, and nothing else does to a place that is set up for reading only.
    mutating func judgeReadOnly(_ action: Action) {
        switch action {
        case .store, .remove, .storeProbe, .removeProbe: break
        default: return
        }
        var isMirror = false
        if case .mirror = verb { isMirror = true }
        guard isMirror || keystore.setup?.knowledge.isReadOnly == true else { return }
        report.violations.append(Violation(words: "(h) \(verb.word) writes to a place that it may only read"))
    }

    /// (f) What is said to be deleted is gone.
    mutating func judgeDeletion(_ outcome: Outcome) {
        guard outcome.failure == nil, outcome.left.isEmpty, lies.values.reduce(0, +) < 2, interlopers.isEmpty else {
            return
        }
        var gone = retired
        if case .delete = verb { gone = targets[.current] }
        guard let gone, let blob = world.stored[world.place(gone.address, terms)][Int(gone.password)],
            !blob.isDamaged, keystore.isOwn.contains(blob.number),
            keystore.setup.map({ isOther(gone, $0.current) }) ?? true
        else { return }
        report.violations.append(
            Violation(words: "(f) \(verb.word) says that the old backup is deleted, and it is there"))
    }

    func isOther(_ target: Target, _ current: Target) -> Bool {
        target.password != current.password
            || world.place(target.address, terms) != world.place(current.address, terms)
    }

    mutating func noteLook() {
        guard let lastLook else { return }
        world.keystores[index].hasBadLook = !lastLook.good
        if lastLook.good { world.keystores[index].goodLook = lastLook.at }
    }
}
