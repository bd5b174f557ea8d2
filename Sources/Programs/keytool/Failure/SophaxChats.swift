import CommandLine
import Console
import MessengerKeeping
import SophaxChat
import SophaxStorage

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

extension PrekeyMergeError: Explained {
    var failure: Failure {
        let message =
            switch self {
            case .otherSigned(let id): "another key is held as signed prekey \(id)"
            case .otherOneTime(let id): "another key is held as one-time prekey \(id)"
            case .noRoomForSigned: "there is no room for the signed prekeys of the file: an import makes at most 8"
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
        case .twice(let number, let first, let second):
            Failure(
                .usage, "\(first) and \(second) are both share \(number)",
                hints: "leave one of them out; if the shares do not join then, the other one")
        case .differentSplits: Failure(.badData, "the shares are those of different splits")
        case .unproven(let id):
            Failure(
                .usage, "the shares join to \(id), but do not say whether that is right",
                hints: "wrong shares join to wrong keys: compare, then name it: --expect-id \(id)",
                "nothing was stored")
        }
    }
}

extension SophaxNoPrekeys: Explained {
    var failure: Failure {
        Failure(
            .absent, "the identity \(id) has no prekeys", hints: "keytool sophaxchat refill-prekeys \(id)"
        ).because(of: "no_prekeys")
    }
}

extension SophaxNoOneTimePrekey: Explained {
    var failure: Failure {
        Failure(
            .absent, "there is no one-time prekey \(number)",
            hints: "keytool sophaxchat show-prekeys --json \(id) lists them")
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
