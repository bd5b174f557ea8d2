package import Console
internal import Encodings
package import MessengerKeeping
package import SophaxChat
package import SophaxStorage

extension BackupError: Explained {
    package var failure: Failure {
        switch self {
        case .unknownFormat:
            Failure(
                .badData, "the file has no identity or backup of SophaxChat",
                hints: "an identity is an identity backup (SXID) of the app, or an age file",
                "keytool sophaxchat open-backup opens a backup of messages")
        case .unknownVersion(let version):
            .later("the data has version \(version), which is not supported")
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
        case .malformed:
            Failure(.badData, "the file is damaged, or contains something else: a length or a field in it is wrong")
        case .wrongIdentity:
            Failure(
                .verifyFailed, "the keys are those of another identity than is named beside them",
                hints: "a share or file was changed, or belongs to another identity; nothing was stored")
        }
    }
}

extension StoredRecordError: Explained {
    package var failure: Failure {
        switch self {
        case .unknownForm(let form):
            .later("a stored record has form \(form), which is not supported").because(of: "newer_version")
        case .malformed, .notAuthentic: Failure(.badData, "a stored record is damaged")
        }
    }
}

extension SophaxKeepingError: Explained {
    package var failure: Failure {
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
        case .tooManyRotations(let due):
            Failure(
                .exists,
                "too many signed prekeys were replaced within 14 days; the next rotation is possible at \(due.rfc3339)",
                hints: "those before are kept for peers with an old bundle"
            ).because(of: "too_many_rotations")
        case .noPIN:
            Failure(
                .absent, "no PIN is set",
                hints: "keytool-lab sophaxchat set-pin sets the first one, without the option that names a present PIN"
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
            .later("the session with \(peer) has form \(form), which is not supported").because(of: "newer_version")
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
            .later("the group \(group.printable) has form \(form), which is not supported").because(of: "newer_version")
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
