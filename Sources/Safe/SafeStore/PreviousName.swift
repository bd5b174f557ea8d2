internal import Encodings
internal import SafeWire

// Backups that were replaced or deleted through the port. Their directory is split by the first byte of the id, because
// a directory of ext4 has room for a few million names, and each id has several.
//
//     previous/XX/ID-UPLOADED-REPLACED
//     previous/XX/YY/ID-UPLOADED-REPLACED      if `previous/XX` had 1000 names: each write lists one directory
//
//     XX           the first two digits of ID
//     YY           the next two
//     ID           64 hexadecimal digits
//     UPLOADED     when it was uploaded, by the wall clock: 20261121T030000123Z. People name it by this time, so no two
//                  of an id have the same
//     REPLACED     when it was replaced or deleted, by the store's time: its age counts from then
//
// The name of one that was deleted, or has expired, ends in `-deleted`. Earlier releases did not write this.
//
// Earlier releases wrote `previous/ID-REPLACED`. Such a file is found, restored and swept; UPLOADED is its modification
// time. None is added.

/// The name of a previous backup's file.
struct PreviousName: Hashable {
    let id: BackupID
    /// By the wall clock; nil in a name of an earlier release.
    let uploaded: Timestamp?
    /// By the store's time.
    let replaced: Timestamp
    /// Whether nothing replaced it: it was deleted, or has expired.
    let isDeleted: Bool

    private static let mark = "deleted"

    /// A directory with more names gets no further ones but `YY`.
    static let mostNames = 1000

    init(id: BackupID, uploaded: Timestamp, replaced: Timestamp, isDeleted: Bool) {
        self.id = id
        self.uploaded = uploaded
        self.replaced = replaced
        self.isDeleted = isDeleted
    }

    /// - Returns: nil for a file of another name.
    init?(_ text: String) {
        var parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        isDeleted = parts.count == 4 && parts[3] == Self.mark
        if isDeleted { parts.removeLast() }
        guard parts.count == 2 || parts.count == 3, let id = BackupID(hex: parts[0]),
            let replaced = Timestamp(compact: parts[parts.count - 1])
        else { return nil }
        self.id = id
        self.replaced = replaced
        guard parts.count == 3 else {
            uploaded = nil
            return
        }
        guard let uploaded = Timestamp(compact: parts[1]) else { return nil }
        self.uploaded = uploaded
    }

    var text: String {
        [id.hex, uploaded?.compact, replaced.compact, isDeleted ? Self.mark : nil].compactMap(\.self)
            .joined(separator: "-")
    }
}
