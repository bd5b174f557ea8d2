import KeyWrapping
import Keystore
import SecureMemory
import Testing
import VectorKit

/// What keytool seals, byte for byte what another implementation computes from the same nonce and time.
@Suite struct SealingVectorTests {
    private func key(_ vector: Vector) throws -> MasterKey {
        let bytes = try vector.inputs.bytes("master_key")
        return MasterKey(SecureBytes(copying: bytes.span))
    }

    private func owner(_ vector: Vector) throws -> Owner {
        let owner = try Owner(messenger: vector.inputs.string("messenger"), id: vector.inputs.string("id"))
        return try #require(owner)
    }

    @Test(arguments: try Vector.all(in: .keystoreRecord)) func `records`(_ vector: Vector) throws {
        let name = try #require(try RecordName(vector.inputs.utf8("name")))
        let place = try PlaceName(vector.inputs.string("place"))
        let content = try vector.inputs.bytes("content")
        let isOwn = try vector.inputs.string("messenger").isEmpty
        let record = SealedRecord.seal(
            content.span, of: isOwn ? nil : try owner(vector), name.at(place), fileName: nil, key: try key(vector),
            nonce: try vector.inputs.bytes("nonce"))
        #expect(try record == vector.expected.bytes("record"))
    }

    @Test func `the keystore's own record`() throws {
        let vector = try Vector.named("keystore-record-keystore", in: .keystoreRecord)
        let id = try Array(vector.inputs.bytes("content").dropFirst())
        let record = LockedKeystore.ownRecord(id: id, key: try key(vector), nonce: try vector.inputs.bytes("nonce"))
        #expect(try record == vector.expected.bytes("record"))
        #expect(record.count == 61)
    }

    @Test(arguments: try Vector.all(in: .keystoreHistory)) func `entries of the history`(_ vector: Vector) throws {
        let backup = try vector.inputs.bytes("backup")
        let place = try #require(try PlaceName(vector.inputs.string("place")))
        let origin = try #require(HistoryEntry.Origin(rawValue: vector.inputs.string("origin")))
        let secret = try vector.inputs.bytes("secret")
        let entry = HistoryBackup(
            backup, digest: try vector.inputs.bytes("digest"), secret: SecureBytes(copying: secret.span))
        let (name, file) = History.seal(
            entry, origin: origin, of: try owner(vector), at: place,
            milliseconds: Int64(try vector.inputs.integer("milliseconds")), key: try key(vector),
            nonce: try vector.inputs.bytes("nonce"))
        #expect(try name == vector.expected.string("name"))
        #expect(try file == vector.expected.bytes("file"))
        #expect(file.count == backup.count + 149)
    }

    @Test(arguments: try Vector.all(in: .keystoreCommit)) func `commit files`(_ vector: Vector) throws {
        let files = try vector.inputs.strings("files")
        let contents = try vector.inputs.strings("contents")
        try #require(files.count == contents.count)
        let changes = try zip(files, contents).map { file, content in
            let file = try #require(RecordFile(text: Array(file.utf8)))
            return FileChange(file, content == "-" ? nil : [UInt8](hex: content))
        }
        let commit = RecordCommit.encode(changes, of: try owner(vector), key: try key(vector))
        #expect(try commit == vector.expected.bytes("file"))
    }
}
