import Console
import MessengerKeeping
import SophaxChat
import SophaxStorage

extension BackupError: Explained {
    var failure: Failure {
        switch self {
        case .unknownFormat:
            Failure(
                .badData, "the file has no identity or backup of SophaxChat",
                hints: "an identity is an identity backup (SXID) of the app, or an age file")
        case .unknownVersion(let version):
            Failure(
                .badData, "the data has version \(version), which is not supported",
                hints: "a newer keytool may know it: install that version")
        case .iterations(let count):
            Failure(
                .badData,
                "the file demands \(count) iterations; "
                    + "\(IdentityBackup.iterations.lowerBound) to \(IdentityBackup.iterations.upperBound) are accepted")
        case .shortPassphrase:
            Failure(.usage, "the passphrase of the file needs at least \(IdentityBackup.minPassphrase) characters")
        case .wrongKeyOrDamaged:
            Failure(
                .wrongPassword, "the passphrase of the file is wrong, or it is damaged",
                hints: "this form does not tell one from the other")
        case .malformed: Failure(.badData, "the file is damaged: a length or a field in it is wrong")
        case .wrongIdentity:
            Failure(
                .verifyFailed, "the keys are those of another identity than is named beside them",
                hints: "a share or file was changed, or belongs to another identity; nothing was stored")
        }
    }
}

extension StoredRecordError: Explained {
    var failure: Failure {
        switch self {
        case .unknownForm(let form):
            Failure(
                .badData, "a stored record has form \(form), which is not supported",
                hints: "a newer keytool may know it: install that version"
            ).because(of: "newer_version")
        case .malformed, .notAuthentic: Failure(.badData, "a stored record is damaged")
        }
    }
}

extension BundleError: Explained {
    var failure: Failure {
        switch self {
        case .malformed: Failure(.badData, "the file is not a bundle of SophaxChat")
        case .badSignature:
            Failure(.badData, "a signature of the bundle is wrong", hints: "somebody has changed it: ask for another")
        case .lowerForm: Failure(.verifyFailed, "the bundle is signed less than those of this peer before")
        case .wrongAge: Failure(.badData, "the bundle is an hour old, or its time is in the future")
        case .wrongPeer, .identityChanged: Failure(.verifyFailed, "the bundle is that of another identity")
        }
    }
}

extension PINError: Explained {
    var failure: Failure {
        switch self {
        case .length:
            Failure(.usage, "a PIN has \(PINLock.counts.lowerBound) to \(PINLock.counts.upperBound) bytes")
        case .equalPINs:
            Failure(
                .usage, "the PIN and the duress PIN have to differ",
                hints: "no PIN was changed, but this counts as one of 4 changes within 24 hours")
        case .delayed(let delay):
            Failure(
                .tempfail, "too many wrong PINs: the next one is checked in \(delay.components.seconds + 1) s",
                hints: "wait, then try again"
            ).because(of: "pin_delayed")
        case .tooManyChanges(let delay):
            Failure(
                .tempfail,
                "the PINs were changed \(PINAllowance.limit) times within 24 hours: "
                    + "the next change is possible in \(Sleep.words(delay))",
                hints: "wait, then try again; nothing was checked or changed"
            ).because(of: "pin_changes")
        }
    }
}

extension SophaxKeepingError: Explained {
    var failure: Failure {
        switch self {
        case .noIdentity(let id):
            Failure(
                .absent, "there is no SophaxChat identity \(id) in the keystore", hints: "keytool sophaxchat list"
            ).because(of: "no_identity")
        case .otherIdentity(let held, let other):
            Failure(
                .exists, "the keystore holds another SophaxChat identity, \(held)",
                hints: other.map { "nothing was stored or replaced; --another stores \($0) beside it" }
                    ?? "nothing was stored or replaced; --another makes another identity beside it"
            ).because(of: "other_identity")
        case .otherNumber(let peer):
            Failure(
                .verifyFailed, "another safety number was verified for \(peer)",
                hints: "somebody may be between you: compare the number with the peer again"
            ).because(of: "other_number")
        case .tooManyPeers(let limit): Failure(.tooLarge, "at most \(limit) peers are verified")
        case .tooManyRotations:
            Failure(
                .exists, "too many signed prekeys were replaced within 14 days",
                hints: "those before are kept for peers with an old bundle; try again in a few days")
        case .noPIN:
            Failure(
                .absent, "no PIN is set",
                hints: "keytool sophaxchat set-pin sets the first one, without the option that names a present PIN"
            ).because(of: "no_pin")
        case .hasPIN:
            Failure(
                .exists, "a PIN was set by another process while this command ran",
                hints: "nothing was changed; run the command again to change that PIN: it has to be given"
            ).because(of: "pin_exists")
        case .wrongPIN: Failure(.wrongPassword, "wrong PIN")
        case .noSession(let peer):
            Failure(
                .absent, "there is no session with \(peer) in the keystore",
                hints: "keytool makes none: programs on the library SophaxChat store them"
            ).because(of: "no_session")
        case .damagedSession(let peer):
            Failure(.badData, "the session with \(peer) is damaged", hints: "the peer begins a new one")
                .because(of: "damaged_session")
        case .laterSession(let peer, let form):
            Failure(
                .badData, "the session with \(peer) has form \(form), which is not supported",
                hints: "a newer keytool may know it: install that version"
            ).because(of: "newer_version")
        case .namelessSession:
            Failure(
                .badData, "a session is damaged, and does not tell with which peer", hints: "the peer begins a new one"
            ).because(of: "damaged_session")
        case .noGroup(let group): GroupProblem.missing.failure(group)
        case .damagedGroup(let group): GroupProblem.damaged.failure(group)
        case .laterGroup(let group, let form): GroupProblem.later(form: form).failure(group)
        case .members(let problem): problem.failure
        case .spentGroup(let group): GroupProblem.spent.failure(group)
        }
    }
}

/// What is wrong with a stored group.
private enum GroupProblem {
    case missing
    case damaged
    case later(form: UInt8)
    case spent

    func failure(_ group: String) -> Failure {
        switch self {
        case .missing:
            Failure(
                .absent, "there is no group \(group.printable) in the keystore",
                hints: "only programs on the library SophaxChat make groups"
            ).because(of: "no_group")
        case .damaged:
            Failure(
                .badData, "the group \(group.printable) is damaged",
                hints: "the program that uses it has to begin it again"
            ).because(of: "damaged_group")
        case .later(let form):
            Failure(
                .badData, "the group \(group.printable) has form \(form), which is not supported",
                hints: "a newer keytool may know it: install that version"
            ).because(of: "newer_version")
        case .spent:
            Failure(
                .tooLarge, "the group \(group.printable) cannot have another chain: its numbers are used up",
                hints: "the program that uses it has to begin another group"
            ).because(of: "spent_group")
        }
    }
}

extension SophaxKeepingError.MemberProblem {
    fileprivate var failure: Failure {
        switch self {
        case .short(let peer):
            Failure(
                .usage, "\(peer) names no member, or several",
                hints: "all \(PeerID.counts[0]) digits are needed of a new member")
        case .twice(let peer): Failure(.usage, "the member \(peer) is named twice")
        case .nobody: Failure(.usage, "the list has no other member", hints: "name all other members")
        case .tooMany(let limit): Failure(.tooLarge, "a group has at most \(limit) members, with this identity")
        }
    }
}

extension PrekeyMergeError: Explained {
    var failure: Failure {
        let message =
            switch self {
            case .otherSigned(let id): "another key is held as signed prekey \(id)"
            case .otherOneTime(let id): "another key is held as one-time prekey \(id)"
            case .noRoomForSigned: "there is no room for the signed prekeys of the file: 8 are kept"
            case .noRoomForOneTime: "there is no room for the one-time prekeys of the file: 1000 are kept"
            case .noRoomForSeen: "there is no room for the keys of first messages in the file: 10000 are kept"
            }
        return Failure(
            .exists, message, hints: "nothing was changed; keep the file: its prekeys are not in the keystore"
        ).because(of: "prekeys_not_merged")
    }
}

extension SophaxFileError: Explained {
    var failure: Failure {
        switch self {
        case .identityNotUsed:
            Failure(
                .usage, "a passphrase or --identity was given that this file does not use",
                hints: "--identity opens age files; shares and bundles are not encrypted")
        case .notPeer(let path):
            Failure(
                .badData, "\(path) has no public keys of a peer",
                hints: "a peer's file is its bundle, or the 64 bytes of its QR code")
        case .unknown(let path):
            Failure(.badData, "\(path) is neither an identity nor a share nor a bundle of SophaxChat")
        case .isShare(let path):
            Failure(
                .badData, "\(path) is a share of an identity",
                hints: "keytool sophaxchat join FILE FILE restores the identity from its shares")
        case .shareExists(let path):
            Failure(.exists, "\(path) already exists", hints: "nothing was written: choose another name with -o")
        case .notMessageBackup(let path):
            Failure(
                .badData, "\(path) is not a message backup (SXBK) of SophaxChat",
                hints: "keytool sophaxchat verify shows identities, shares and bundles")
        case .notShare(let path): Failure(.badData, "\(path) is not a share of an identity, or is damaged")
        }
    }
}

extension SophaxSharesError: Explained {
    var failure: Failure {
        switch self {
        case .tooFew(let count, let threshold):
            Failure(.usage, "\(threshold) shares restore the keys; \(count) were named")
        case .tooMany(let threshold):
            Failure(
                .usage, "too many combinations of the shares: at most \(ShareAgreement.maxCombinations) are tried",
                hints: "name fewer shares; \(threshold) restore the keys")
        case .disagree:
            Failure(
                .badData, "a share is damaged, and nothing says which: no two combinations join to the same keys",
                hints: "name the identity: --expect-id; or name one share more", "nothing was stored")
        case .twice: Failure(.usage, "a share is named twice")
        case .differentSplits: Failure(.badData, "the shares are those of different splits")
        case .unproven(let id):
            Failure(
                .usage, "the shares join to \(id), but do not say whether that is right",
                hints: "wrong shares join to wrong keys: compare, then name it: --expect-id \(id)",
                "nothing was stored")
        }
    }
}

extension SophaxPrekeyError: Explained {
    var failure: Failure {
        switch self {
        case .none(let id):
            Failure(
                .absent, "the identity \(id) has no prekeys", hints: "keytool sophaxchat refill-prekeys \(id)"
            ).because(of: "no_prekeys")
        case .noOneTime(let number):
            Failure(
                .absent, "there is no one-time prekey \(number)",
                hints: "keytool sophaxchat show-prekeys --json lists them")
        }
    }
}

extension SophaxUnexpected: Explained {
    var failure: Failure {
        Failure(
            .verifyFailed, "the identity is \(found), not \(expected)", hints: "nothing was stored"
        ).because(of: "other_identity")
    }
}

extension SophaxOtherNumber: Explained {
    var failure: Failure {
        Failure(
            .verifyFailed, "the keys of \(peer) have another safety number: \(number)",
            hints: "do not trust these keys: somebody may be between you; nothing was stored"
        ).because(of: "other_number")
    }
}
