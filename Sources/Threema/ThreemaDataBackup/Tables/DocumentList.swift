internal import Encodings
internal import ThreemaSafe

/// A list of a Safe document while it is made: JSON text, because a tree of all contacts would take ten times the
/// memory.
struct DocumentList {
    /// The entries, joined by commas.
    private(set) var text: [UInt8] = []
    /// Number of entries.
    private(set) var count = 0

    /// Adds an entry.
    /// - Parameter members: those that are nil are left out.
    /// - Throws: `.document` if the list is longer than a document may be.
    mutating func add(_ members: KeyValuePairs<String, JSONValue?>) throws(Table.RowFailure) {
        if count > 0 { text.append(UInt8(ascii: ",")) }
        text += JSONValue.object(members.compactMap { name, value in value.map { JSONValue.Member(name, $0) } }).encoded
        count += 1
        guard text.count <= SafeBackup.maxDocumentBytes else {
            throw .table(.document(.gzip(.tooLarge(limit: SafeBackup.maxDocumentBytes))))
        }
    }
}

extension SafeDocument {
    /// The document of a data backup. What is not in such a file has the value that the apps give a new identity.
    /// - Throws: `.document` if it is too large.
    static func ofDataBackup(
        contacts: DocumentList, groups: DocumentList, lists: DocumentList, picture: ProfilePicture?
    ) throws(DataBackupError) -> SafeDocument {
        var text = Array(#"{"info":{"version":1,"device":"keytool"},"contacts":["#.utf8)
        text += contacts.text + Array(#"],"groups":["#.utf8) + groups.text
        text += Array(#"],"distributionlists":["#.utf8) + lists.text
        text += Array(#"],"settings":{"syncContacts":false},"user":{"links":[],"profilePicRelease":[null]}}"#.utf8)
        // Parsed as a push will parse it, so that a document that was stored can also be uploaded.
        let document: SafeDocument
        do throws(SafeBackupError) {
            document = try DocumentFile(decoding: text.span).profile.document
        } catch {
            throw .document(error)
        }
        let whole = picture.map { document.settingPicture($0) } ?? document
        guard whole.fitsBackup else { throw .document(.gzip(.tooLarge(limit: SafeBackup.maxDocumentBytes))) }
        return whole
    }
}
