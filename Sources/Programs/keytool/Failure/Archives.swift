import CommandLine
import Console
import Keystore
import MessengerKeeping
import SessionStore
import Tar

extension ArchiveError: Explained {
    var failure: Failure {
        switch self {
        case .tar(.notTar):
            Failure(
                .badData, "this is not an archive of identities: what is encrypted is not a tar archive",
                hints:
                    "keytool telegram import, textsecure import, sophaxchat import and mainkey import read exports of one account"
            )
        case .tar(let error): Failure(.badData, "the content of the archive is damaged: \(error.words)")
        case .notArchive:
            Failure(
                .badData, "the file is not an archive of identities: it contains no file keytool-archive",
                hints: "age -d FILE | tar -t lists what it contains")
        case .version(let version):
            Failure(
                .badData, "the archive has version \(version.printable), which this keytool does not support",
                hints: "a newer keytool wrote it: install that version")
        case .unknownFile(let name):
            Failure(
                .badData, "the archive contains the unknown file \(name.printable)",
                hints: "a newer keytool may know it; otherwise pack the archive again without it")
        case .sessions(_, let error):
            Failure(error).advising(
                "archive import --without-sessions imports it; the sessions of all are left out")
        case .recordTooLarge(let name, let limit):
            Failure(.badData, "\(name.printable) in the archive is longer than \(ByteCount.text(limit))")
        case .tooLarge(let limit):
            Failure(.tooLarge, "the archive would be longer than \(ByteCount.text(limit)), which no keytool reads")
        case .tooManyFiles(let limit):
            Failure(.tooLarge, "the archive would have more than \(limit) files, which no keytool reads")
        }
    }
}

extension Failure {
    /// This failure with the identity that it is about.
    func about(_ owner: Owner) -> Failure {
        Failure(status, "\(owner.text): \(message)", hints: hints).because(of: reason)
    }
}

extension TarError {
    fileprivate var words: String {
        switch self {
        case .notTar: "it is not a tar archive"
        case .header(let offset): "the header at byte \(offset) is malformed"
        case .checksum(let offset): "the checksum of the header at byte \(offset) is wrong"
        case .type(let type, let offset):
            "the entry at byte \(offset) is not a plain file (type \(type); a link, a device or an extension)"
        case .name(let offset): "the name of the entry at byte \(offset) is not accepted"
        case .duplicate(let name): "\(name.printable) is in it twice"
        case .padding(let name): "data is hidden behind \(name.printable)"
        case .tooManyEntries(let limit): "it has more than \(limit) entries"
        case .truncated, .noEnd: "it is cut off"
        case .trailingData: "it continues behind its end"
        }
    }
}

extension ArchiveRefusal: Explained {
    var failure: Failure {
        switch self {
        case .malformed(let owner, let problem):
            Failure(.badData, "the records of \(owner.text) are not usable: \(problem.words)")
                .because(of: "malformed_records")
        case .damaged(let owner, let name):
            Failure(KeystoreError.damaged(record: name.text, owner: owner, place: name.place))
        case .unknownMessenger(let owner):
            .later("this keytool does not know the messenger of \(owner.text)").because(of: "unknown_messenger")
        case .held(let owner, let differences):
            Failure(
                .exists, "the keystore holds it with other records: \(differences.words)",
                hints: "--replace \(owner.text) replaces it by that of the archive; without it nothing is changed"
            ).because(of: "identity_differs")
        case .changing(let owner):
            Failure(.locked, "another keytool process is changing \(owner.text)", hints: "try again later")
        case .sessionsInUse(let owner, let lock): .sessionsInUse(of: owner.text, lock: lock)
        case .tooManyRecords(let owner, let limit):
            Failure(
                .tooLarge, "the replacement of \(owner.text) would change more than \(limit) files at once",
                hints: "keytool id remove \(owner.id), then import it")
        }
    }
}

extension RecordProblem {
    fileprivate var words: String {
        switch self {
        case .owner: "the ID is malformed"
        case .unknown(let name): "the record \(name.words) is not known"
        case .missing(let name): "the record \(name.words) is missing"
        case .malformed(let name): "the record \(name.words) is malformed, or belongs to another identity"
        case .tooManyPlaces(let limit): "there are more than \(limit) places"
        }
    }
}

extension ExportError: Explained {
    var failure: Failure {
        switch self {
        case .malformed(let offset): Failure(.badData, "the sessions are malformed at byte \(offset)")
        case .unknownForm(let form):
            .later("the sessions have the unknown form \(form)")
        case .tooMany(let limit): Failure(.tooLarge, "there are more than \(limit) values of sessions")
        case .tooLong(let limit): Failure(.tooLarge, "the sessions are longer than \(ByteCount.text(limit))")
        }
    }
}
