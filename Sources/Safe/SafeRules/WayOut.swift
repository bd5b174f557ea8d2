/// A command that leads on after a failure. The words of an error name these, and the model checker follows them.
package enum WayOut: Hashable, Sendable {
    case pushAgain
    case pushOverwriting
    /// The same; what it replaces cannot be kept.
    case pushOverwritingTooLong
    case pushResumingDeleted
    case pushAcceptingLoss
    /// The same command again, with the word for it.
    case overwriting
    /// The same; what it replaces cannot be kept.
    case overwritingTooLong
    /// A pull by ID, server and password of what holds the new place, and then the same command again.
    case pullingFirst
    case pull
    case pullReplacing
    case pullReplacingKey
    /// The same pull by ID, server and password again, with the word for it.
    case replacing
    /// Set up the place, and leave the profile as it is.
    case settingUp
    case abort
    case forgetOld
    case delete
    case move
    case moveLeavingOld
    case mirror
    case mirrorAcceptingLoss
    /// The phone has changed the Safe password, and with it the id of the backup.
    case adoptPassword
    case restoreFromHistory
    /// Nothing of ours: the server, the network or a person has to change something.
    case nothing
}

/// What decides, beside a failure, which commands lead on.
package enum SetupStage: Hashable, Sendable {
    case usual
    /// A change was begun, and only then is there something to take back.
    case changeUnfinished
    /// No verb may write to the place.
    case readOnly
    /// The command names server and password itself: the setup may be that of another place, or missing.
    case named
    /// A place is being set up, and has no history yet.
    case settingUp
}

extension Knowledge {
    package var stage: SetupStage { isReadOnly ? .readOnly : next == nil ? .usual : .changeUnfinished }
}

extension WayOut {
    fileprivate var isPush: Bool {
        [.pushAgain, .pushOverwriting, .pushOverwritingTooLong, .pushResumingDeleted, .pushAcceptingLoss].contains(self)
    }
}

extension SafeFailure {
    /// What its user can do about it with this program, the most likely first.
    package func waysOut(_ stage: SetupStage) -> [WayOut] {
        guard stage == .changeUnfinished || role != .next else { return waysOutBeforeChange }
        if stage == .settingUp { return [.nothing] }
        if stage == .named { return self == .otherProfile ? [.replacing, .settingUp] : [.replacing] }
        guard stage == .readOnly else { return waysOut }
        switch self {
        case .absent, .mirror(.absent): return [.adoptPassword, .restoreFromHistory]
        case .damaged, .older: return [.restoreFromHistory]
        default:
            let ways = waysOut.filter { !$0.isPush }
            return ways.isEmpty ? [.nothing] : ways
        }
    }

    private var waysOut: [WayOut] {
        switch self {
        case .exchange(.current, _), .badLimits(.current, _), .tooLarge(.current, _, _): [.nothing]
        case .exchange(.next, _), .badLimits(.next, _), .tooLarge(.next, _, _): [.pushAgain, .abort]
        case .exchange(.retiring, _), .badLimits(.retiring, _), .tooLarge(.retiring, _, _): [.pushAgain, .forgetOld]
        case .waiting: [.nothing]
        case .conflict(.current, isOtherKey: false), .overtaken(isOtherKey: false): [.pull, .pushOverwriting]
        case .conflict(.current, isOtherKey: true), .overtaken(isOtherKey: true): [.pullReplacingKey, .pushOverwriting]
        case .tooLong(.current): [.pushOverwritingTooLong]
        case .unreadable(.current): [.pushOverwriting]
        case .conflict(.next, _), .tooLong(.next), .unreadable(.next): [.abort]
        case .conflict(.retiring, _), .tooLong(.retiring), .unreadable(.retiring): [.forgetOld]
        case .unsettled, .notVerified: [.pushAgain]
        // Only `delete` deletes there.
        case .notRemoved(.current): [.delete]
        case .notRemoved(.next): [.abort]
        case .notRemoved(.retiring): [.pushAgain, .forgetOld]
        case .losesContacts: [.pushAcceptingLoss, .pullReplacing]
        case .absent, .damaged, .older, .survivorLost: [.pushAgain]
        case .otherKey: [.pullReplacingKey]
        case .olderBackup, .unpushedChanges: [.pullReplacing, .pushOverwriting]
        case .otherProfile: [.replacing]
        case .notUnderstood: [.pushOverwriting]
        case .deletionInterrupted: [.delete, .pushResumingDeleted]
        case .replica: [.moveLeavingOld]
        case .leftAsAsked: [.nothing]
        case .otherPlace: [.move]
        case .changeUnfinished: [.pushAgain, .abort]
        case .oldBackupLeft: [.forgetOld]
        case .readOnly: [.mirror]
        case .notReadOnly: [.nothing]
        case .mirror(.losesContacts): [.mirrorAcceptingLoss, .restoreFromHistory]
        case .mirror(.absent), .mirror(.damaged): [.pushAgain, .restoreFromHistory]
        case .mirror(.older), .mirror(.otherKey): [.restoreFromHistory]
        case .mirror(.tooLong), .mirror(.notUnderstood): [.nothing]
        }
    }

    /// Of what is wrong with the new place before anything was sent there.
    private var waysOutBeforeChange: [WayOut] {
        switch self {
        case .conflict(_, isOtherKey: false): [.pullingFirst, .overwriting]
        case .conflict, .unreadable: [.overwriting]
        case .tooLong: [.overwritingTooLong]
        default: [.nothing]
        }
    }
}
