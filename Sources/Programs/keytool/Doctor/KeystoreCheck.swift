import AtomicFiles
import CommandLine
import Console
import Encodings
import KeyWrapping
import Keystore
import MessengerKeeping
import SafeKeeping
import ThreemaKeeping
import ThreemaRecords
import SafeWire
import Threema

/// The keystore, and the Safes that are set up in it.
struct KeystoreCheck {
    private let session: Session
    private let passphrase: SecretOptions<KeystorePassphrase>

    init(_ session: Session, _ passphrase: SecretOptions<KeystorePassphrase>) {
        self.session = session
        self.passphrase = passphrase
    }

    func findings() -> [Finding] {
        let locked: LockedKeystore
        do {
            locked = try LockedKeystore(at: session.keystorePath)
        } catch KeystoreError.absent {
            return [Finding("keystore", .ok, "no keystore yet")]
        } catch {
            return [problem("keystore", error)]
        }
        return [files(locked), protection(locked)] + records(locked)
    }

    /// Modes and owners of the directory and `master.key` were checked when it was opened.
    private func files(_ locked: LockedKeystore) -> Finding {
        do {
            let errors = try locked.permissionProblems()
            guard let first = errors.first else {
                return Finding("keystore", .ok, "mode, owner and type of all files are right")
            }
            // The others that are missing were removed meanwhile.
            let isMissing = if case .missing(path: _) = first { true } else { false }
            let wrong = errors.count - (isMissing ? 1 : 0)
            let words = [
                isMissing ? "the file keystore is missing" : nil,
                wrong > 0 ? "wrong mode, owner or type: \(Counted.text(wrong, "file"))" : nil,
            ]
            return Finding(
                "keystore", .problem, words.compactMap { $0 }.joined(separator: "; "),
                status: isMissing ? .badData : Failure(first).status)
        } catch {
            return problem("keystore", error)
        }
    }

    private func protection(_ locked: LockedKeystore) -> Finding {
        let protection = locked.protection
        return Finding(
            "protection", locked.isProtected && !protection.isWeak ? .ok : .warning,
            protection.words + (protection.isWeak ? ": keytool key passwd raises its cost" : "")
                + (isPassphraseUntried(locked)
                    ? "; the kernel's keyring opens it, so the passphrase was not tried" : ""))
    }

    /// Whether the keyring stands in for the passphrase: a `master.key` that no passphrase opens is not noticed then.
    private func isPassphraseUntried(_ locked: LockedKeystore) -> Bool {
        locked.isProtected && (try? passphrase.source()) == nil && locked.unlockFromKeyring() != nil
    }

    private func records(_ locked: LockedKeystore) -> [Finding] {
        let keystore: OpenKeystore
        do {
            keystore = try session.unlock(locked, passphrase)
        } catch SecretError.none {
            return [
                Finding(
                    "identities", .skipped,
                    "the keystore needs its passphrase: keytool key unlock, or --passphrase-file")
            ]
        } catch {
            return [problem("identities", error)]
        }
        let keeper = session.keeper(keystore)
        do {
            let ids = try keeper.identities.ids()
            let records = try ids.map { (id: $0, damaged: try keeper.identities.damagedRecords($0)) }
            let damaged = records.map(\.damaged).filter { !$0.isEmpty }
            // Of an identity whose commit file is damaged nothing can be read.
            let readable = records.filter { !$0.damaged.contains("commit") }.map(\.id)
            let safes = try keeper.safe.places(of: readable)
            let idsWithSafe = Set(safes.map(\.id))
            let identities =
                damaged.isEmpty
                ? Finding("identities", .ok, "\(ids.count), all of them open; \(idsWithSafe.count) with a Safe")
                : Finding(
                    "identities", .problem,
                    "\(damaged.count) of \(ids.count) with damaged records: "
                        + Set(damaged.joined()).sorted().joined(separator: ", "), status: .badData)
            return [identities] + (try others(keystore)) + (try SessionsCheck(keystore).findings())
                + (try misnamed(keystore)) + (try pending(keeper)) + ContactsCheck(keeper).findings(of: ids)
                + codes(readable.filter { !idsWithSafe.contains($0) }, keeper) + shares(ids, keeper) + kits(ids, keeper)
                + outdatedPaper(ids, keeper)
                + safes.enumerated().map { index, place in safe(place, "safe \(index + 1)", session.renewed(keeper)) }
        } catch {
            return [problem("identities", error)]
        }
    }

    /// The identities of other messengers. Their IDs are not named.
    private func others(_ keystore: OpenKeystore) throws -> [Finding] {
        let owners = try keystore.identities().filter { $0.messenger != Owner.threema }
        guard !owners.isEmpty else { return [] }
        var counts: [String: (all: Int, damaged: Int)] = [:]
        var warnings: [String: String] = [:]
        for owner in owners {
            var isDamaged = false
            do {
                let summary = try session.messengers.summary(of: owner, in: session, keystore)
                if let warning = summary.warning { warnings[owner.messenger] = warning }
                // A summary leaves records out.
                let records = try RecordSet(of: keystore.identity(owner)) { _ in true }
                isDamaged = !records.damaged.isEmpty || !session.messengers.archived.isSound(records)
            } catch {
                isDamaged = true
            }
            let (all, damaged) = counts[owner.messenger] ?? (0, 0)
            counts[owner.messenger] = (all + 1, damaged + (isDamaged ? 1 : 0))
        }
        return counts.sorted { $0.key < $1.key }.map { messenger, count in
            guard count.damaged == 0 else {
                return Finding(
                    messenger, .problem, "\(count.damaged) of \(count.all) with damaged records", status: .badData)
            }
            guard session.messengers.isSupported(messenger) else {
                return Finding(
                    messenger, .warning, "\(count.all), of a messenger that this keytool does not support: not checked")
            }
            let words = "\(count.all), all of them open"
            guard let warning = warnings[messenger] else { return Finding(messenger, .ok, words) }
            return Finding(messenger, .warning, "\(words); \(warning)")
        }
    }

    private func pending(_ keeper: ThreemaKeeper) throws -> [Finding] {
        let count = try keeper.identities.pendingKeys().count
        guard count > 0 else { return [] }
        let damaged = try keeper.identities.damagedPendingKeys()
        guard damaged == 0 else {
            return [
                Finding(
                    "pending", .problem, "\(damaged) of \(count) keys that wait for their registration are damaged",
                    status: .badData)
            ]
        }
        return [
            Finding(
                "pending", .warning,
                (count == 1 ? "1 key waits for its registration" : "\(count) keys wait for their registration")
                    + ": keytool id create --resume --pending DIGITS, or keytool id remove --pending DIGITS, "
                    + "with the digits that keytool id list shows")
        ]
    }

    /// For each identity that has neither a Safe, whose findings say the same, nor enough checked shares; IDs are not
    /// named.
    private func codes(_ ids: [ThreemaID], _ keeper: ThreemaKeeper) -> [Finding] {
        let prospects: [(shares: ShareAges?, prospect: IdentityKeeper.RemovalProspect)] = ids.compactMap { id in
            let shares = ShareAges(of: id, in: keeper)
            guard shares?.areEnoughChecked != true else { return nil }
            return (try? keeper.identities.prospect(ofRemoving: id)).map { (shares, $0) }
        }
        return prospects.enumerated().map { index, found in
            let title = "code \(index + 1)"
            guard let time = found.prospect.codeProvenAt else {
                return Finding(
                    title, .warning,
                    found.shares == nil
                        ? "neither a Safe nor a verified backup code: keytool backup export ID, then keytool backup check FILE"
                        : "neither a Safe nor a verified backup code, and too few shares were checked: keytool backup check --share FILE"
                )
            }
            return Finding(title, .ok, "no Safe; a backup code was verified \(Self.age(time))")
        }
    }

    private static func age(_ timestamp: Timestamp?) -> String {
        timestamp.map { "\((WallClock.now() - $0).days) days ago" } ?? "never"
    }

    /// For each identity whose key was shared here; IDs are not named.
    private func shares(_ ids: [ThreemaID], _ keeper: ThreemaKeeper) -> [Finding] {
        ids.compactMap { ShareAges(of: $0, in: keeper) }.enumerated().map { index, ages in
            Finding("shares \(index + 1)", .ok, ages.words)
        }
    }

    /// For each identity of which a kit was made here; IDs are not named.
    private func kits(_ ids: [ThreemaID], _ keeper: ThreemaKeeper) -> [Finding] {
        ids.compactMap { KitAge(of: $0, in: keeper) }.enumerated().map { index, kit in
            Finding("kit \(index + 1)", kit.isOutdated ? .warning : .ok, kit.words)
        }
    }

    /// For each identity whose private key was replaced since; IDs are not named.
    private func outdatedPaper(_ ids: [ThreemaID], _ keeper: ThreemaKeeper) -> [Finding] {
        ids.filter { (try? keeper.identities.hasPaperOfEarlierKey($0)) ?? false }.indices.map {
            Finding(
                "paper \($0 + 1)", .warning,
                "shares or a kit restore an earlier private key: make new ones, "
                    + "keytool backup split ID --shares 3/5 --sheet DIR or keytool backup kit ID -o FILE.pdf")
        }
    }

    private func misnamed(_ keystore: OpenKeystore) throws -> [Finding] {
        let count = try keystore.countMisnamed()
        guard count > 0 else { return [] }
        return [
            Finding(
                "names", .problem,
                "\(count) of the directories in identities/threema have a name that is not an ID, so commands do "
                    + "not find their identities; an ID has 8 upper-case letters and digits", status: .badData)
        ]
    }

    private func safe(_ place: SafePlace, _ name: String, _ keeper: ThreemaKeeper) -> Finding {
        do {
            let look = try keeper.safe.look(at: place, savesLossOnly: true)
            let difference = ClockDifference(lead: look.notes.clockLead)
            let status = try keeper.safe.status(of: place)
            let lastSeen = look.failure == nil && !status.isReadOnly ? WallClock.now() : status.lastSeen
            let words =
                "its server answers" + (look.limits.map { " (stores backups for \($0.retentionDays) days)" } ?? "")
                + "; last seen there \(Self.age(lastSeen)); "
                + "last verified: Safe password \(Self.age(status.passwordProvenAt)), backup code \(Self.age(status.codeProvenAt))"
            let isUnfinished = status.newServer != nil || status.isDeleting
            let problems = [
                look.failure.map { "the server holds \($0.found)" },
                status.hasFailed ? "the last push failed" : nil,
                isUnfinished ? "a change or deletion is not finished" : nil,
                status.oldServer != nil ? "an old backup is not deleted yet" : nil,
                difference.map { "its clock is \($0.words)" },
            ].compactMap { $0 }
            // Never uploaded is a finding only of what was to be there.
            let isFine = lastSeen != nil && problems.isEmpty
            let sentence = ([words] + problems).joined(separator: "; ")
            guard let failure = look.failure, (status.lastSeen ?? status.seenAt) != nil else {
                return Finding(name, isFine ? .ok : .warning, sentence)
            }
            return Finding(name, .problem, sentence, status: failure.explained("", "").status)
        } catch {
            return Finding(name, .problem, RedactedSafeFailure(error).words, status: Failure(error).status)
        }
    }

    private func problem(_ name: String, _ error: any Error) -> Finding {
        Finding(name, .problem, RedactedKeystoreFailure(error).words, status: Failure(error).status)
    }
}

extension Duration {
    /// Whole days.
    var days: Int64 { components.seconds / 86_400 }
}
