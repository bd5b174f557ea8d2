import Encodings
import Testing
import ThreemaSafe

@testable import ThreemaDataBackup

/// The document that a data backup becomes.
@Suite struct DocumentListTests {
    private func document(of count: Int) throws -> SafeDocument {
        var contacts = DocumentList()
        for _ in 0..<count { try contacts.add(["identity": "ECHOECHO"]) }
        return try .ofDataBackup(contacts: contacts, groups: DocumentList(), lists: DocumentList(), picture: nil)
    }

    @Test func `it is refused if no Safe backup could hold it`() throws {
        let (none, one) = (try document(of: 0).valueCount, try document(of: 1).valueCount)
        let most = (JSONScanner.Limits().values - 16 - none) / (one - none)
        #expect(try document(of: most).contactCount == most)
        #expect(throws: DataBackupError.document(.gzip(.tooLarge(limit: SafeBackup.maxDocumentBytes)))) {
            _ = try document(of: most + 1)
        }
    }
}
