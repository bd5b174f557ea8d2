import CommandLine
import Console
import HTTP
import SafeWire
import ThreemaDirectory
import ThreemaKeeping
import ThreemaRecords

extension ProvisioningError: Explained {
    var failure: Failure {
        Failure(.badData, words, hints: hint.map { [$0] } ?? []).because(
            of: self == .badSignature ? "bad_signature" : nil)
    }

    private var words: String {
        switch self {
        case .tooLong: "the provisioning file has over \(ProvisioningFile.maxCount / 1024) KiB"
        case .noSignature: "this is not a provisioning file: its last line is not a signature"
        case .badSignature: "the provisioning file is not signed with this key"
        case .otherKey: "the provisioning file names another key than the one that signs it"
        case .unknownVersion: "the version of the provisioning file is unknown"
        case .malformed: "the provisioning file is not JSON"
        case .member(let path): "\(path.printable) is missing in the provisioning file, or malformed"
        case .address(let path): "the address in \(path) of the provisioning file cannot be used"
        case .noKeyIsAccepted(let url): "the provisioning file accepts no public key of \(url.printable)"
        }
    }

    private var hint: Hint? {
        switch self {
        case .badSignature: "nothing was stored: compare --key with the one that the operator gives you"
        case .noSignature: "nothing may follow the signature, not even a line end"
        default: nil
        }
    }
}

extension OnPremError: Explained {
    var failure: Failure {
        switch self {
        case .noFile(let name):
            Failure(
                .absent,
                name.map { "there is no provisioning file \($0) in the keystore" }
                    ?? "the keystore holds no provisioning file", hints: "keytool onprem import"
            ).because(of: "no_onprem")
        case .refused(let name, let judgement): Self.refusal(judgement, name)
        case .inUse(let name, let users):
            Failure(.exists, "\(name) is used by \(users.joined(separator: ", ")); nothing was removed")
                .because(of: "in_use")
        }
    }

    private static func refusal(_ judgement: FileSuccession.Judgement, _ name: OnPremName) -> Failure {
        let stays: Hint = "the present file stays; --replace takes this one"
        switch judgement {
        case .otherKey:
            return Failure(.exists, "\(name) is signed with another key", hints: stays).because(of: "other_key")
        case .licenseEndsEarlier(let present, let offered):
            return Failure(
                .verifyFailed,
                "the licence in this file ends on \(offered.dayBefore), that of the present one of \(name) on "
                    + present.dayBefore, hints: stays
            ).because(of: "license_ends_earlier")
        case .first, .same, .newer, .replacedBefore:
            return Failure(.verifyFailed, "a later file of \(name) has replaced this one", hints: stays)
                .because(of: "replaced_before")
        }
    }
}

/// Why a provisioning file was not fetched.
struct OnPremFetchFailure: Explained {
    /// Where it was asked for.
    let url: String
    let error: OnPremFetchError

    init(url: String, error: OnPremFetchError) {
        self.url = url
        self.error = error
    }

    init(_ name: OnPremName, _ error: OnPremFetchError) { self.init(url: name.text, error: error) }

    var failure: Failure {
        switch error {
        case .http(let error): failure(error)
        case .unauthorized:
            Failure(
                .serverAuth, "\(url) wants the login of the licence, or does not accept this one",
                hints: "--onprem-user NAME, and --onprem-password-file FILE")
        case .status(404): Failure(.absent, "there is no provisioning file at \(url)").because(of: "no_file")
        case .status(let status) where HTTPResponse.isTemporary(status):
            Failure(.tempfail, "\(url) cannot answer now: status \(status)", hints: "try again later")
        case .status(let status): Failure(.failed, "\(url) does not give a provisioning file: status \(status)")
        }
    }

    private func failure(_ error: HTTPError) -> Failure {
        switch error {
        case .connection(let failure): Failure(.tempfail, "\(url) \(failure.words)", hints: failure.hint)
        case .certificate(let flaw): flaw.failure(of: url, option: "SSL_CERT_FILE")
        case .pinMismatch(_, let offered):
            Failure(
                .pinMismatch,
                "\(url) has another public key than the provisioning file accepts: "
                    + (offered?.text ?? "it could not be read"), hints: "nothing was sent")
        case .bodyTooLong: ProvisioningError.tooLong.failure
        case .badAuthority, .badURL: .defect("the address of a provisioning file is not accepted by the HTTP library")
        case .libraryMissing(let package): SafeExchangeError.libraryMissing(package).failure
        case .libraryNeedsMemory: SafeExchangeError.libraryNeedsMemory.failure
        }
    }
}
