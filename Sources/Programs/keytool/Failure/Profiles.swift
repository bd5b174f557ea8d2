import CommandLine
import Console
import Encodings
import ThreemaKeeping
import Threema
import ThreemaSafe

extension ProfileKeepingError: Explained {
    var failure: Failure { failure(naming: "") }

    /// - Parameter option: names the identity in the commands of hints, with a blank before it; empty if the keystore
    ///   has no other.
    func failure(naming option: String) -> Failure {
        switch self {
        case .otherKey(let id):
            Failure(
                .exists, "the file holds another private key than the keystore has for \(id)",
                hints: "check which identity the file belongs to"
            ).because(of: "other_key")
        case .unsavedChanges(let id, let hasSafe):
            Failure(
                .exists,
                hasSafe
                    ? "the profile of \(id) has changes that are not in a backup"
                    : "\(id) already has a profile, and no Safe backup of it",
                hints: "--replace overwrites it", "keytool profile export -o FILE \(id) saves it first"
            ).because(of: "unpushed_changes")
        case .otherProfile(let id, _):
            Failure(
                .exists, "\(id) has another profile in the keystore",
                hints: "--replace-profile overwrites it", "keytool profile export -o FILE \(id) saves it first"
            ).because(of: "other_profile")
        case .tooMuch: Failure(.tooLarge, "the profile would be larger than a backup can be; nothing was changed")
        case .ownID(let id): Failure(.usage, "\(id) is the identity itself; it cannot be its own contact")
        case .otherContactKey(let id, let stored, let given):
            Failure(
                .exists, "the profile has \(id) with another public key",
                hints: "stored  \(stored.hex)", "given   \(given.hex)",
                "keytool contact remove\(option) \(id) removes the stored one, if you know that the new one is right"
            ).because(of: "other_key")
        case .unprovenKey(let id):
            Failure(
                .exists,
                "\(id.printable) is verified by QR code, but the profile has no key of it; a typed key is not verified",
                hints: "keytool contact add\(option) --qr-image FILE stores the key of the contact's QR code",
                "keytool contact remove\(option) \(id.printable) forgets that the contact was verified"
            ).because(of: "unproven_key")
        case .noContact(let id): Failure(.absent, "\(id.printable) is not a contact").because(of: "no_contact")
        case .noContactKey(let id):
            Failure(
                .absent, "the profile has no public key of \(id) to compare with",
                hints: "keytool contact add\(option) --qr-image FILE stores the key of the contact's QR code"
            ).because(of: "no_contact_key")
        case .expiredCode(let id):
            Failure(
                .badData, "the code of \(id) has expired", hints: "ask the contact to show the QR code again"
            ).because(of: "expired_code")
        case .notRevoked(let id):
            Failure(
                .absent, "no directory has said that \(id) was revoked",
                hints: "keytool contact check\(option) \(id) asks the directory"
            ).because(of: "not_revoked")
        }
    }

    /// The failure of comparing a contact's code with the stored key.
    func failureOfVerification(naming option: String) -> Failure {
        guard case .otherContactKey(let id, let stored, let given) = self else { return failure(naming: option) }
        return Failure(
            .verifyFailed, "WRONG KEY: the public key of \(id) is not the one in the profile",
            hints: "stored   \(stored.hex)", "scanned  \(given.hex)",
            "do not trust messages of \(id) until you know why: either the contact has a new key, or somebody pretends to be the contact"
        ).because(of: "other_key")
    }
}

/// Why a file is not a profile picture.
struct PictureFileError: Explained {
    let path: String
    let error: ProfilePictureError

    var failure: Failure {
        switch error {
        case .tooLong(_, let limit):
            Failure(.badData, "\(path) is longer than \(ByteCount.text(limit))", hints: Self.convert)
        case .notJPEG:
            Failure(
                .badData, "\(path) is not a JPEG file, or it is truncated or followed by other data",
                hints: Self.convert)
        case .notBaseline:
            Failure(.badData, "\(path) is not baseline JPEG in grey or colour", hints: Self.convert)
        case .tooLarge(let width, let height, let limit):
            Failure(
                .badData, "\(path) has \(width) x \(height) pixels; a profile picture has at most \(limit) x \(limit)",
                hints: Self.convert)
        case .hasMetadata:
            Failure(
                .badData, "\(path) contains metadata, for example where the picture was taken", hints: Self.convert)
        }
    }

    private static let convert: Hint =
        "convert FILE -auto-orient -resize 400x400 -strip -interlace none -quality 60 NEW.jpg makes a fitting one"
}

extension SafeBackupError {
    /// What is wrong with a document that is a file of its own.
    var failureOfFile: Failure {
        switch self {
        case .gzip(GzipError.tooLarge(let limit)): Failure(.tooLarge, "the document has more than \(limit) bytes")
        case .json(JSONError.tooManyValues(let limit)): Failure(.tooLarge, "the document has more than \(limit) values")
        case .json(let error): Failure(.badData, "the document is not JSON: \(error.words)")
        case .document(.unsupportedVersion(let version)):
            Failure(.badData, "the document has version \(version); this version supports \(SafeDocument.version)")
        case .document(.missing(let path)): Failure(.badData, "the document has no \(path)")
        case .document(.wrongType(let path)):
            Failure(
                .badData,
                path.isEmpty ? "the document is not a JSON object" : "\(path) in the document has the wrong type")
        case .privateKey: Failure(.badData, "the private key in the document does not have 32 bytes")
        case .deviceGroupKey: Failure(.badData, "the device group key in the document does not have 32 bytes")
        default: failure
        }
    }
}
