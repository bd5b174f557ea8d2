internal import Keystore
internal import SafeRules
internal import SafeWire
internal import SecureMemory
internal import ThreemaRecords
internal import ThreemaSafe

// The requests of a run to the servers of its places.

extension SafeRun {
    /// What is known of the new place; nil without one.
    func candidateState() -> PlaceState? {
        switch candidate {
        case .some(let candidate):
            var place = placeState(candidate)
            // The key is another one, but the server is the same.
            if candidate.placeName == setup.current.placeName {
                place.honoursConditions = place.honoursConditions ?? placeState(setup.current).honoursConditions
            }
            return place
        case .none: return nil
        }
    }

    /// The exchange with a place's server, the same for the whole run.
    mutating func server(_ role: Role) -> any SafeExchange {
        if let server = servers[role] { return server }
        let server = withTarget(role) { keeper.connect($0) }
        servers[role] = server
        return server
    }

    func withTarget<Result: ~Copyable>(
        _ role: Role, _ body: (borrowing SafeTarget) throws -> Result
    ) rethrows -> Result {
        switch role {
        case .current: break
        case .next:
            switch setup.next {
            case .some(let next): return try body(next)
            case .none: break
            }
            switch candidate {
            case .some(let candidate): return try body(candidate)
            case .none: break
            }
        case .retiring:
            switch setup.retiring {
            case .some(let retiring): return try body(retiring)
            case .none: break
            }
        }
        return try body(setup.current)
    }

    /// The place's address, for messages.
    func address(_ role: Role) -> SafeServerAddress { withTarget(role) { $0.address } }

    func backupID(_ role: Role) -> BackupID { withTarget(role) { $0.keys.backupID } }

    mutating func ask(_ action: Action) throws -> Answer {
        switch action {
        case .askLimits(let role): return .limits(try SafeKeeper.limits(of: server(role)))
        case .hold(let role):
            // Only one lock at a time, because both addresses may lead to one directory.
            hold = nil
            hold = try server(role).hold()
        case .fetch(let role):
            do {
                found[role] = try server(role).fetch(backupID(role))
            } catch SafeExchangeError.tooLarge(let limit) {
                // Something is there, which has no tag: the rules permit a write over it without a condition, or none.
                found[role] = StoredBackup(bytes: [])
                throw SafeExchangeError.tooLarge(limit: limit)
            }
            return .found(describe(found[role], role))
        case .store(let role, let condition):
            try server(role).store(sealed, at: backupID(role), if: writeCondition(role, condition))
        case .remove(let role, let condition):
            try markOtherPlaces(havingBackup: backupID(role))
            try server(role).remove(backupID(role), if: writeCondition(role, condition))
        case .storeProbe(let role):
            let bytes = Random.bytes(64)
            // The id has the first byte of the backup's id, which may choose the server.
            let id = BackupID(sharingFirstByteOf: backupID(role), Random.bytes(BackupID.count - 1).span)
            probe = (id, bytes)
            try server(role).store(bytes, at: id, if: .none)
        case .fetchProbe(let role):
            guard let probe else { return .probe(isThere: false) }
            return .probe(isThere: try server(role).fetch(probe.id)?.bytes == probe.bytes)
        case .removeProbe(let role):
            if let probe { try server(role).remove(probe.id, if: .none) }
        default: break
        }
        return .done
    }

    /// Turns the new place of a change into a Safe server if it is an empty directory, and proves that it is none of the
    /// identity's other places.
    /// - Throws: `SafeExchangeError`; `SafeKeepingError.samePlace`.
    mutating func prepareNewPlace() throws {
        try server(.next).prepare(.standard)
        switch candidate {
        case .some(let candidate):
            try keeper.prove(candidate, .readAndWrite, isNot: place, in: keeper.keystore.identity(.threema(place.id)))
        case .none: break
        }
    }

    func writeCondition(_ role: Role, _ condition: Action.Condition) -> WriteCondition {
        guard condition == .unchanged else { return .none }
        guard let backup = found[role] else { return .absent }
        return backup.tag.map { .unchanged(tag: $0) } ?? .none
    }
}
