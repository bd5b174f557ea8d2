import Console
import Encodings
import Keystore
import Threema
import ThreemaSafe

/// The result of `safe pull`, for people and as JSON.
struct PullSummary {
    private let id: ThreemaID
    private let document: SafeDocument
    private let writerInfo: SafeBackup.WriterInfo?
    private let publicKey: PublicKey
    private let source: Source

    /// Where the backup is from.
    enum Source {
        case server(String)
        /// The number in the history.
        case history(Int)
        case file(String)

        var words: String {
            switch self {
            case .server(let name): name
            case .history(let number): "backup \(number) of the history"
            case .file(let path): path.printable
            }
        }

        fileprivate var preposition: String {
            switch self {
            case .server: "on"
            case .history, .file: "in"
            }
        }
    }

    init(id: ThreemaID, backup: borrowing SafeBackup, from source: Source) {
        self.id = id
        self.source = source
        document = backup.document
        writerInfo = backup.writerInfo
        publicKey = backup.clientKey.publicKey
    }

    private var contactList: JSONValue {
        let blocked = Set(document.settings.blockedContacts)
        return .array(document.contacts.map { $0.json(isBlocked: blocked.contains($0.identity)) })
    }

    /// - Parameter contacts: how a line for each contact shows its level; nil for no lines.
    func lines(isStored: Bool, contacts: SafeContact.LevelStyle?) -> [StyledLine] {
        let written =
            writerInfo.map { "keytool, generation \($0.generation), \($0.writtenAt.rfc3339)" }
            ?? "an app" + (document.device.map { " (\($0.printable))" } ?? "")
        let key = publicKey.lines
        let facts =
            [
                (isStored ? "restored \(id) from " : "found \(id) \(source.preposition) ") + source.words,
                "public key  \(key[0])",
            ]
            + key.dropFirst().map { "            \($0)" }
            + [
                "contacts    \(document.contactCount)", "groups      \(document.groupCount)",
                "lists       \(document.distributionListCount)", "written by  \(written)",
            ]
        return facts.map(StyledLine.init) + (contacts.map { style in document.contacts.map { $0.line(style) } } ?? [])
    }

    /// - Parameters:
    ///   - place: the Safe place; nil if the command was about none.
    ///   - contacts: as of `lines`; only whether it is nil counts.
    func json(
        at place: PlaceName?, isStored: Bool, file: String?, contacts: SafeContact.LevelStyle?
    ) -> JSONValue {
        .result(
            "safe pull",
            [
                ("id", .string(id.text)), ("place", place.map { .string($0.text) }),
                ("public_key", .string(publicKey.hex)),
                ("contacts", .number(document.contactCount)), ("groups", .number(document.groupCount)),
                ("distribution_lists", .number(document.distributionListCount)),
                ("written_by", writerInfo == nil ? "app" : "keytool"),
                ("generation", writerInfo.map { .number($0.generation) }),
                ("written_at", writerInfo.map { .string($0.writtenAt.rfc3339) }), ("file", file.map { .string($0) }),
                ("contact_list", contacts == nil ? .none : .some(contactList)),
                ("stored", .bool(isStored)),
            ])
    }
}
