package import Keystore
internal import SafeRules
internal import SafeWire
package import SecureMemory
internal import Threema
internal import ThreemaRecords
package import ThreemaSafe

// What a verb at one place has to do with the identity's other places. Two places with different backup ids are two
// files in any case. With one backup id (the same Safe password) two addresses may be one place (a link, two host
// names), and then deleting the backup of one deletes that of the other.

extension SafeKeeper {
    /// Proves that a target is none of the identity's other places. If it has the backup id of one, random bytes are
    /// stored through one address under a random id and looked for through the other. Nothing is written to a place for
    /// reading only; of two of these, only the addresses are compared.
    /// - Parameters:
    ///   - access: what the target is set up for.
    ///   - place: the place of the target, which is not compared.
    /// - Throws: `SafeKeepingError.samePlace`; `SafeExchangeError` of either server, because then nothing is proven.
    func prove(
        _ target: borrowing SafeTarget, _ access: Access, isNot place: SafePlace,
        in records: borrowing IdentityRecords
    ) throws {
        for name in try records.safePlaces() where name != place.name {
            let setup = try records.requiredSetup(at: name)
            let other = setup.isReadOnly ? Access.readOnly : .readAndWrite
            var isSame = try isOnePlace(target, access, setup.current, other)
            switch setup.next {
            case .some(let next): isSame = try isSame || isOnePlace(target, access, next, other)
            case .none: break
            }
            switch setup.retiring {
            case .some(let retiring): isSame = try isSame || isOnePlace(target, access, retiring, other)
            case .none: break
            }
            guard !isSame else { throw SafeKeepingError.samePlace(id: place.id.text, place: name.text) }
        }
    }

    /// As `prove`, if another login or other trust could lead to another place: one with the same address and key.
    func proveLogin(
        _ target: borrowing SafeTarget, _ access: Access, isNot place: SafePlace,
        in records: borrowing IdentityRecords
    ) throws {
        for name in try records.safePlaces() where name != place.name {
            guard let setup = try? records.setup(at: name), setup.current.isSame(as: target) else { continue }
            return try prove(target, access, isNot: place, in: records)
        }
    }

    private func isOnePlace(
        _ target: borrowing SafeTarget, _ access: Access, _ other: borrowing SafeTarget, _ otherAccess: Access
    ) throws -> Bool {
        guard target.keys.backupID == other.keys.backupID else { return false }
        switch (access, otherAccess) {
        case (.readAndWrite, _): return try isProbeSeen(writingTo: target, readingFrom: other)
        case (.readOnly, .readAndWrite): return try isProbeSeen(writingTo: other, readingFrom: target)
        case (.readOnly, .readOnly): return target.isSame(as: other)
        }
    }

    private func isProbeSeen(
        writingTo written: borrowing SafeTarget, readingFrom read: borrowing SafeTarget
    ) throws -> Bool {
        // The id has the first byte of the backup's id, which may choose the server.
        let id = BackupID(sharingFirstByteOf: written.keys.backupID, Random.bytes(BackupID.count - 1).span)
        return try connect(written).isSeen(Random.bytes(64), at: id, by: connect(read))
    }

    /// Reads the backups at other places again, after one with their backup id was deleted, and uploads those that are
    /// missing. Best effort: the states of the places say that they have to be read, so the next push does.
    func lookAgain(at places: [SafePlace]) -> LostPlaces {
        let lost = places.filter { place in
            guard let look = try? look(at: place) else { return false }
            return [.absent, .damaged].contains(look.failure)
        }
        let restored = lost.filter { (try? push($0, PushOptions())) != nil }
        return LostPlaces(places: lost, areRestored: lost == restored)
    }
}

/// The places whose backup was missing or damaged after that of another place was deleted.
struct LostPlaces {
    var places: [SafePlace]
    /// Whether all of them were uploaded again.
    var areRestored: Bool
}

extension SafeRun {
    /// Notes, before a DELETE, that the backups with this id at the identity's other places have to be read again.
    /// - Throws: `FileError`. Then nothing must be deleted.
    mutating func markOtherPlaces(havingBackup id: BackupID) throws {
        let marked: [SafePlace]
        switch holding {
        case .locked(let identity): marked = try keeper.mark(id, except: place, in: identity)
        case .unlocked: return
        }
        survivors += marked.filter { !survivors.contains($0) }
    }
}

extension SafeKeeper {
    fileprivate func mark(
        _ backup: BackupID, except place: SafePlace, in identity: borrowing LockedIdentity
    ) throws -> [SafePlace] {
        let key = stateKey
        var changes = identity.changes()
        var marked: [SafePlace] = []
        for name in try identity.records.safePlaces() where name != place.name {
            // A damaged setup does not tell its backup id, and its place cannot be used.
            guard let setup = try? identity.records.setup(at: name), !setup.isReadOnly,
                setup.current.keys.backupID == backup
            else { continue }
            var state = try UploadState(of: identity.records, at: name, key: key)
            guard state.safe?.target == TargetDigests.place(of: setup.current, key: key),
                var known = state.safe?.state, known.expectsBackup
            else { continue }
            marked.append(SafePlace(place.id, name))
            guard known.finding == nil else { continue }
            known.finding = .unproven
            state.safe = .init(target: TargetDigests.place(of: setup.current, key: key), state: known)
            changes.setState(state.encoded(for: place.id.text, at: name, key: key, now: now()), of: name)
        }
        if !marked.isEmpty { try identity.commit(changes) }
        return marked
    }
}

extension IdentityRecords {
    /// The place that is set up with this server and key; nil if none is. Damaged setups are skipped.
    func place(of target: borrowing SafeTarget) throws -> PlaceName? {
        for name in try safePlaces() {
            if let setup = try? setup(at: name), setup.current.isSame(as: target) { return name }
        }
        return nil
    }

    /// Whether a backup lacks the profile: a place that is not for reading only has not got it yet or has lost it, or
    /// there is none and no place has it. A damaged setup cannot tell, so its place lacks it.
    package func isUnsaved(_ profile: borrowing Profile, key: borrowing SecureBytes) throws -> Bool {
        var (hasWritable, hasIt) = (false, false)
        for name in try safePlaces() {
            guard let setup = try? setup(at: name) else { return true }
            let isReadOnly = setup.isReadOnly
            let known = try state(at: setup.current, of: name, profile, key)
            // A phone writes other backups to a place for reading only, which is in order.
            let isLost = isReadOnly ? [.missing, .damaged].contains(known.finding) : known.finding != nil
            let isUploaded = known.content == known.document && !isLost
            guard isReadOnly || isUploaded else { return true }
            hasWritable = hasWritable || !isReadOnly
            hasIt = hasIt || isUploaded
        }
        return !hasWritable && !hasIt
    }

    /// Whether a place other than `place` has an earlier profile, not this one.
    func isOutdated(
        _ profile: borrowing Profile, otherThanAt place: PlaceName, key: borrowing SecureBytes
    ) throws -> Bool {
        for name in try safePlaces() where name != place {
            guard let setup = try? setup(at: name), !setup.isReadOnly else { continue }
            let known = try state(at: setup.current, of: name, profile, key)
            if known.content != nil && known.content != known.document { return true }
        }
        return false
    }

    private func state(
        at target: borrowing SafeTarget, of place: PlaceName, _ profile: borrowing Profile, _ key: borrowing SecureBytes
    ) throws -> PlaceState {
        try UploadState(of: self, at: place, key: key).state(at: target, TargetDigests(target, profile, key: key))
    }
}
