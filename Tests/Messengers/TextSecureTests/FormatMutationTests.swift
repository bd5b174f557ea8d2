import SecureMemory
import Testing
import VectorKit

@testable import TextSecure

/// What arrives from outside ends no process, and nothing that was altered is opened.
@Suite struct FormatMutationTests {
    @Test func `10,000 mutations of a payload`() throws {
        let vector = PushTests.sealed[1]
        let (key, payload) = (try PushTests.key(vector), try vector.expected.bytes("payload"))
        let random = SeededRandom(seed: 1)
        for _ in 0..<10_000 {
            let changed = random.changed(payload)
            guard changed != payload else { continue }
            #expect(throws: PushPayloadError.self) { _ = try PushPayload.open(changed.span, key: key) }
        }
    }

    @Test func `10,000 mutations of messages`() throws {
        let random = SeededRandom(seed: 1)
        let signal = try PushTests.sealed[1].expected.bytes("protobuf")
        let content = try ContentTests.vectors.flatMap { try $0.expected.bytes("protobuf") }
        let group = try hex("1a0a0a0102100122012b2a00" + "2001")
        var read = 0
        for _ in 0..<10_000 {
            let changed = random.changed(signal)
            if let signal = try? IncomingPushSignal(parsing: changed.span) {
                // A second reading gives the same.
                let encoded = signal.encoded().copied
                #expect(try IncomingPushSignal(parsing: encoded.span).encoded().copied == encoded)
                read += 1
            }
            for bytes in [content, group] {
                let changed = random.changed(bytes)
                if let content = try? PushMessageContent(parsing: changed.span) {
                    let encoded = content.encoded().copied
                    #expect(try PushMessageContent(parsing: encoded.span).encoded().copied == encoded)
                    read += 1
                }
            }
        }
        #expect(read > 100)
    }

    @Test func `10,000 mutations of an attachment`() throws {
        let vector = AttachmentTests.vectors[0]
        let key = try AttachmentTests.key(vector.inputs.bytes("key"))
        let blob = try vector.expected.bytes("blob")
        let random = SeededRandom(seed: 1)
        for _ in 0..<10_000 {
            let changed = random.changed(blob)
            guard changed != blob else { continue }
            #expect(throws: AttachmentError.self) { _ = try AttachmentTests.open(changed, key, pieces: 64) }
        }
    }

    @Test func `10,000 mutations of a client's storage`() throws {
        let random = SeededRandom(seed: 1)
        let value = ClientStorageTests.values[0]
        guard let secret = MasterSecret(try secure(value.inputs.bytes("master_key"))) else { throw Missing() }
        let blob = try value.expected.bytes("blob")
        let file = try ClientStorageTests.preferences[0].expected.utf8("file")
        var read = 0
        for _ in 0..<10_000 {
            let changed = random.changed(blob)
            if changed != blob {
                #expect(throws: ClientStorageError.self) { _ = try secret.open(changed.span) }
            }
            let preferences = random.changed(file)
            if (try? AndroidPreferences(parsing: preferences.span)) != nil { read += 1 }
        }
        #expect(read > 0 && read < 10_000)
    }

    @Test func `10,000 mutations of a wrap's length and format`() throws {
        let random = SeededRandom(seed: 1)
        let blob = try ClientStorageTests.wraps[0].expected.bytes("blob")
        let password = try secure(ClientStorageTests.wraps[0].inputs.utf8("password"))
        for _ in 0..<10_000 {
            // A key is derived only for a blob of the right length and format; ClientStorageTests alters those.
            let changed = random.changed(blob)
            guard changed.count != blob.count || changed[..<2] != blob[..<2] else { continue }
            #expect(throws: ClientStorageError.self) {
                _ = try RNCryptorBlob.open(changed.span, password: password)
            }
        }
    }
}
