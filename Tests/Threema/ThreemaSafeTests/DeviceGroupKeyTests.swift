import SecureMemory
import Testing
import Threema
import ThreemaSafe
import VectorKit

/// The second secret key of a Safe document: cut out, put in, and never part of a `SafeDocument`.
@Suite struct DeviceGroupKeyTests {
    /// 32 bytes of 0xdd in Base64.
    private static let text = "3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d0="

    private static func json(_ member: String) -> String {
        #"{"contacts":[],"info":{"version":1},"user":{"nickname":"n","privatekey":"\#(sampleKeyText)",\#(member)}}"#
    }

    private static func profile(_ byte: UInt8? = 0xdd) -> Profile {
        guard let byte else { return Profile(.empty) }
        return Profile(.empty, deviceGroupKey: DeviceGroupKey(secret(byte)))
    }

    private static func secret(_ byte: UInt8) -> SecureBytes {
        SecureBytes(copying: [UInt8](repeating: byte, count: DeviceGroupKey.count).span)
    }

    @Test func `it is cut out of a backup and put in again`() throws {
        let json = Self.json(#""temporaryDeviceGroupKeyTodoRemove":"\#(Self.text)""#)
        let opened = try open(sealed(json))
        #expect(opened.deviceGroupKey == [UInt8](repeating: 0xdd, count: 32))
        #expect(!opened.document.text.contains("temporaryDeviceGroupKeyTodoRemove"))
        let keys = safeKeys()
        let blob = try SafeBackup.seal(clientKey(), opened.profile, writerInfo: nil, keys: keys)
        #expect(String(decoding: try SafeBackup.decrypt(blob.span, keys: keys).copied, as: UTF8.self) == json)
        let again = try open(blob)
        #expect(again == opened)
    }

    @Test func `it is in what is revealed, and not in the document`() throws {
        let backup = SafeBackup(clientKey: clientKey(), profile: Self.profile(), writerInfo: nil)
        let revealed = String(decoding: backup.revealDocument().copied, as: UTF8.self)
        #expect(
            revealed.contains(
                #""user":{"privatekey":"\#(sampleKeyText)","temporaryDeviceGroupKeyTodoRemove":"\#(Self.text)"}"#))
        #expect(!String(decoding: backup.encodedDocument, as: UTF8.self).contains("temporaryDeviceGroup"))
    }

    @Test(arguments: [
        #""""#, #""3d3d""#, #""3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d0""#,
        #""3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3=""#,
        #""dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd""#,
    ]) func `a string that is not 32 bytes is refused`(_ value: String) {
        #expect(throws: SafeBackupError.deviceGroupKey) {
            try open(sealed(Self.json(#""temporaryDeviceGroupKeyTodoRemove":\#(value)"#)))
        }
    }

    @Test(arguments: ["1", "true", "[]", #"{"a":"b"}"#]) func `another type is refused`(_ value: String) {
        #expect(throws: SafeBackupError.document(.wrongType(path: "user.temporaryDeviceGroupKeyTodoRemove"))) {
            try open(sealed(Self.json(#""temporaryDeviceGroupKeyTodoRemove":\#(value)"#)))
        }
    }

    @Test func `null is no key, and stays`() throws {
        let opened = try open(sealed(Self.json(#""temporaryDeviceGroupKeyTodoRemove":null"#)))
        #expect(opened.deviceGroupKey == nil)
        #expect(opened.document.text.contains(#""temporaryDeviceGroupKeyTodoRemove":null"#))
    }

    @Test func `a document that still contains it is none`() {
        #expect(throws: SafeDocumentError.wrongType(path: "user.temporaryDeviceGroupKeyTodoRemove")) {
            _ = try SafeDocument(
                parse(#"{"info":{"version":1},"user":{"temporaryDeviceGroupKeyTodoRemove":"\#(Self.text)"}}"#))
        }
    }

    @Test func `two profiles are equal if document and key are`() throws {
        let other = Profile(try SafeDocument(parse(#"{"info":{"version":1},"user":{}}"#)))
        let results = [
            Self.profile() == Self.profile(), Self.profile(nil) == Self.profile(nil),
            Self.profile() == Self.profile(nil), Self.profile(nil) == Self.profile(),
            Self.profile() == Self.profile(0xde), Self.profile(nil) == other,
        ]
        #expect(results == [true, true, false, false, false, false])
    }

    @Test func `its content is what an earlier version stored`() throws {
        #expect(Self.profile(nil).revealContent().copied == SafeDocument.empty.encoded)
        let stored = #"{"info":{"version":1},"user":{"temporaryDeviceGroupKeyTodoRemove":"\#(Self.text)"}}"#
        let profile = try Profile(decodingWhole: Array(stored.utf8).span)
        #expect(profile.document.text == #"{"info":{"version":1},"user":{}}"#)
        #expect(String(decoding: profile.revealContent().copied, as: UTF8.self) == stored)
    }

    @Test(arguments: [#""text""#, "null"]) func `what an earlier version stored in its place and is no key is dropped`(
        _ value: String
    ) throws {
        let stored = #"{"info":{"version":1},"user":{"temporaryDeviceGroupKeyTodoRemove":\#(value)}}"#
        let profile = try Profile(decodingWhole: Array(stored.utf8).span)
        let isWithout = profile.deviceGroupKey == nil
        #expect(isWithout)
    }
}
