import Encodings
import Foundation
import SecureMemory
import Testing
import Threema
import ThreemaSafe
import VectorKit

@Suite struct SafeDocumentTests {
    private func document(_ json: String) throws -> SafeDocument { try SafeDocument(parse(json)) }

    @Test func `the empty document is what all apps restore`() {
        #expect(
            SafeDocument.empty.text
                == #"{"contacts":[],"info":{"device":"keytool","version":1},"settings":{"syncContacts":false},"user":{}}"#
        )
        #expect(SafeDocument.empty.nickname == nil)
        #expect(SafeDocument.empty.contactCount == 0)
        #expect(SafeDocument.empty.profilePictureCount == 0)
    }

    @Test(arguments: [
        #"{"info":{"version":1},"user":{}}"#, #"{"info":{"version":0},"user":{}}"#,
        #"{"info":{"version":-3},"user":{"a":{"b":[null]}}}"#,
        #"{"user":{},"info":{"version":1,"device":"6.4.2A/de_CH","x":1}}"#,
    ]) func `hardly anything is required`(_ json: String) throws {
        _ = try document(json)
    }

    /// Numbers that Foundation would change: they pass through untouched, here and in a backup.
    static let spellings = [
        "1.0", "1e400", "-0", "0.10", "1E+2", "18446744073709552000", "1234567890123456789012345678901234567890",
        "1.7e12", "-1e-400",
    ]

    @Test(arguments: spellings) func `a number keeps its spelling`(_ literal: String) throws {
        let json =
            #"{"contacts":[{"createdAt":\#(literal),"identity":"ECHOECHO"}],"info":{"version":1},"user":{"x":\#(literal)}}"#
        let document = try document(json)
        #expect(document.text == json)
        let keys = safeKeys()
        let blob = try SafeBackup.seal(clientKey(), Profile(document), writerInfo: nil, keys: keys)
        let opened = try open(blob)
        #expect(opened.document.text == json)
    }

    @Test func `members that nobody knows are kept, wherever they stand`() throws {
        let json = #"""
            {"a":null,"contacts":[{"0":[],"identity":"ECHOECHO","zz":{"é":"\\\"\n"}}],"groups":[{"x":true}],
            "info":{"version":1,"y":{"version":2}},"settings":{"syncExcludedIDs":["A"],"syncExcludedIds":["B"]},
            "user":{"links":[{"type":"mobile","u":1,"value":"41"}],"t":"🔑"},"é":[[[{}]]]}
            """#.replacing("\n", with: "")
        let keys = safeKeys()
        let blob = try SafeBackup.seal(clientKey(), Profile(document(json)), writerInfo: nil, keys: keys)
        #expect(try open(blob).document.text == json)
    }

    @Test func `the order of members does not matter, that of lists does`() throws {
        let one = try document(#"{"info":{"version":1,"device":"d"},"user":{"a":1,"b":[1,2]}}"#)
        let same = try document(#"{ "user":{"b":[1,2],"a":1}, "info":{"device":"d","version":1} }"#)
        let other = try document(#"{"info":{"version":1,"device":"d"},"user":{"a":1,"b":[2,1]}}"#)
        #expect(one == same)
        #expect(one.encoded == same.encoded)
        #expect(one != other)
        // By bytes, not by Characters: these two names look the same.
        let composed = try document("{\"info\":{\"version\":1},\"user\":{},\"\u{e9}\":1}")
        let decomposed = try document("{\"info\":{\"version\":1},\"user\":{},\"e\u{301}\":1}")
        #expect(composed != decomposed)
        #expect(composed.encoded != decomposed.encoded)
    }

    @Test func `what is shown of it`() throws {
        let document = try document(
            #"{"info":{"version":1,"device":"ios"},"user":{"nickname":"nicki","profilePic":"äb"},"#
                + #""contacts":[{"identity":"A"},{"identity":"B"}],"groups":[{}],"distributionlists":[{},{},{}]}"#)
        #expect(document.nickname == "nicki")
        #expect(document.device == "ios")
        #expect(document.contactCount == 2)
        #expect(document.groupCount == 1)
        #expect(document.distributionListCount == 3)
        #expect(document.profilePictureCount == 3)
    }

    @Test func `the private key is in the backup, never in the document`() throws {
        let keys = safeKeys()
        let document = try document(
            #"{"info":{"version":1},"user":{"nickname":"n"},"unrelated":{"privatekey":"kept"}}"#)
        let writer = [UInt8](repeating: 0xab, count: SafeBackup.WriterInfo.writerCount)
        let writerInfo = SafeBackup.WriterInfo(
            generation: 42, writtenAt: Timestamp(milliseconds: 1_800_000_000_000), writer: writer)
        let blob = try SafeBackup.seal(clientKey(), Profile(document), writerInfo: writerInfo, keys: keys)
        let json = try SafeBackup.decrypt(blob.span, keys: keys).copied
        let root = try #require(JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
        #expect((root["user"] as? [String: String])?["privatekey"] == sampleKeyText)
        let member = try #require(root["keytool"] as? [String: Any])
        #expect(member["generation"] as? Int == 42)
        #expect(member["written_at"] as? Int == 1_800_000_000_000)
        #expect(member["writer"] as? String == writer.hex)
        #expect(member.count == 3)
        let opened = try open(blob)
        #expect(
            opened
                == Opened(
                    clientKey: [UInt8](repeating: 0xcc, count: 32), document: document, deviceGroupKey: nil,
                    writerInfo: writerInfo))
        #expect(!opened.document.text.contains(sampleKeyText))
        #expect(!opened.document.text.contains("keytool"))
        #expect(opened.document.text.contains(#""unrelated":{"privatekey":"kept"}"#))
    }

    @Test func `two backups of the same content share nothing but their length`() throws {
        let keys = safeKeys()
        let blobs = try (0..<10).map { _ in try SafeBackup.seal(clientKey(), .empty, writerInfo: nil, keys: keys) }
        #expect(Set(blobs.map { $0[..<24] }).count == 10)
        #expect(Set(blobs.map(\.count)).count == 1)
        // 40 bytes of nonce and tag, 18 of gzip and 5 of its one block; `"privatekey":""` and 44 characters of key.
        #expect(blobs[0].count == 40 + 18 + 5 + SafeDocument.empty.encoded.count + 15 + 44)
    }

    @Test func `what fits a backup can be sealed with all that a backup has besides`() throws {
        func document(_ count: Int) throws -> SafeDocument {
            try SafeDocument(["info": ["version": 1], "user": ["x": .string(String(repeating: "x", count: count))]])
        }
        let most = try SafeBackup.maxDocumentBytes - 512 - document(0).encoded.count
        let largest = try document(most)
        #expect(largest.fitsBackup)
        #expect(try !document(most + 1).fitsBackup)
        let groupKey = [UInt8](repeating: 0xff, count: DeviceGroupKey.count)
        let profile = Profile(largest, deviceGroupKey: DeviceGroupKey(SecureBytes(copying: groupKey.span)))
        let writerInfo = SafeBackup.WriterInfo(
            generation: SafeBackup.WriterInfo.generations.upperBound, writtenAt: Timestamp(milliseconds: .min),
            writer: [UInt8](repeating: 0xff, count: 16))
        let keys = safeKeys()
        _ = try SafeBackup.seal(clientKey(), profile, writerInfo: writerInfo, keys: keys)
    }

    @Test func `a document over 8 MiB is not written`() throws {
        let picture = String(repeating: "p", count: SafeBackup.maxDocumentBytes)
        let document = try SafeDocument(["info": ["version": 1], "user": ["profilePic": .string(picture)]])
        #expect(throws: SafeBackupError.gzip(.tooLarge(limit: SafeBackup.maxDocumentBytes))) {
            let keys = safeKeys()
            _ = try SafeBackup.seal(clientKey(), Profile(document), writerInfo: nil, keys: keys)
        }
    }
}
