import CommandLine
import Console
import Encodings
import Threema
import ThreemaDataBackup
import ThreemaSafe

/// A data backup that was read, and how it is shown.
struct ReadDataBackup: ~Copyable {
    let backup: OpenedDataBackup
    /// The entries of the file.
    let contents: [EntryKind: EntryCount]

    var identity: Identity { _read { yield backup.identity } }
    var document: SafeDocument { backup.document }

    /// For people: key, what was read, what was not.
    var lines: [String] {
        identity.clientKey.publicKey.labelledLines + ["contains    " + Self.words(document)]
            + (leftBehind.isEmpty ? [] : ["not read    " + leftBehind.joined(separator: ", ")])
    }

    private static func words(_ document: SafeDocument) -> String {
        [
            Counted.text(document.contactCount, "contact"), Counted.text(document.groupCount, "group"),
            Counted.text(document.distributionListCount, "distribution list"),
        ].joined(separator: ", ")
    }

    private func count(_ kind: EntryKind) -> EntryCount { contents[kind] ?? EntryCount() }

    /// Pictures of contacts and groups.
    private var otherPictures: Int { count(.picture).entries - (backup.picture == .none ? 0 : 1) }

    private var mediaBytes: Int {
        let (sum, isTooLarge) = count(.media).bytes.addingReportingOverflow(count(.thumbnail).bytes)
        return isTooLarge ? .max : sum
    }

    private var leftBehind: [String] {
        let (conversations, media) = (count(.conversation).entries, count(.media).entries)
        let unknown = count(.unknown).entries
        return (conversations > 0 ? [Counted.text(conversations, "conversation")] : [])
            + (media > 0 ? [Counted.text(media, "media file") + " (\(ByteCount.text(mediaBytes)))"] : [])
            + (otherPictures > 0 ? [Counted.text(otherPictures, "picture")] : [])
            + (count(.polls).entries > 0 ? ["polls"] : []) + (count(.reactions).entries > 0 ? ["reactions"] : [])
            + (count(.nonces).entries > 0 ? ["nonces"] : [])
            + (unknown > 0 ? [Counted.text(unknown, "file") + " with other names"] : [])
    }

    /// The same for programs.
    private var leftBehindJSON: JSONValue {
        .members([
            ("conversations", .number(count(.conversation).entries)), ("media", .number(count(.media).entries)),
            ("media_bytes", .number(mediaBytes)), ("pictures", .number(otherPictures)),
            ("polls", .bool(count(.polls).entries > 0)), ("reactions", .bool(count(.reactions).entries > 0)),
            ("nonces", .bool(count(.nonces).entries > 0)), ("other", .number(count(.unknown).entries)),
        ])
    }

    func json(_ command: String, _ outcome: [(String, JSONValue?)]) -> JSONValue {
        .result(
            command,
            [
                ("id", .string(identity.id.text)), ("public_key", .string(identity.clientKey.publicKey.hex)),
                ("format", "android_data_backup"), ("format_version", .number(backup.version)),
                ("contacts", .number(document.contactCount)), ("groups", .number(document.groupCount)),
                ("distribution_lists", .number(document.distributionListCount)),
                ("picture", .string(backup.picture.jsonName)), ("left_behind", leftBehindJSON),
                ("skipped_rows", .number(backup.faults.count)),
                (
                    "skipped",
                    .array(
                        backup.faults.first.map {
                            ["file": .string($0.entry), "row": .number($0.row), "problem": .string($0.problem.words)]
                        })
                ),
                ("missing", .array(backup.missingTables.map { .string($0) })),
            ] + outcome)
    }

    /// Says on stderr what was not read, and how safe such a file is.
    func sayNotes(_ output: Output) {
        for name in backup.missingTables {
            output.warn("the file has no \(name); every data backup of the app has one")
        }
        for fault in backup.faults.first {
            output.warn("\(fault.entry), row \(fault.row): \(fault.problem.words)")
        }
        if backup.faults.count > backup.faults.first.count {
            output.warn("\(backup.faults.count - backup.faults.first.count) more rows have errors")
        }
        if let words = backup.picture.words { output.note("the profile picture was not imported: \(words)") }
        output.note(
            "guessing the password of this file is a hundred times faster than that of a backup code: "
                + "keep the file where nobody else can read it")
    }
}

extension OwnPicture {
    /// Why it is not in the profile; nil if it is, or if the file has none.
    fileprivate var words: String? {
        switch self {
        case .none, .carried: nil
        case .damaged: "its entry is damaged"
        case .unfit(.tooLong(_, let limit)): "it has more than \(ByteCount.text(limit))"
        case .unfit(.notJPEG): "it is not a JPEG file"
        case .unfit(.notBaseline): "it is not baseline JPEG"
        case .unfit(.tooLarge(let width, let height, let limit)):
            "it has \(width) x \(height) pixels; a profile picture has at most \(limit) x \(limit)"
        case .unfit(.hasMetadata): "it contains metadata"
        }
    }

    fileprivate var jsonName: String {
        switch self {
        case .none: "none"
        case .carried: "imported"
        case .damaged: "damaged"
        case .unfit(.tooLong): "too_long"
        case .unfit(.notJPEG): "not_jpeg"
        case .unfit(.notBaseline): "not_baseline"
        case .unfit(.tooLarge): "too_large"
        case .unfit(.hasMetadata): "has_metadata"
        }
    }
}

extension TableFault.Problem {
    fileprivate var words: String {
        switch self {
        case .unreadable: "not read: a quote is not closed, or a cell is too long"
        case .tooShort: "not read: cells are missing"
        case .id: "not read: the ID is malformed"
        case .publicKey: "not read: the public key is malformed"
        case .groupID: "not read: the group ID is malformed"
        case .listID: "not read: the ID of the list is malformed"
        case .number(let column): "not read: \(column) is not a time"
        case .duplicate: "not read: an earlier row has the same ID"
        case .members(let count): Counted.text(count, "member") + " left out: not a Threema ID"
        }
    }
}
