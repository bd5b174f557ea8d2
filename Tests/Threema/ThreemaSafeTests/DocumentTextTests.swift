import Encodings
import SecureMemory
import Testing
import Threema
import ThreemaSafe
import VectorKit

/// A backup that is sealed from its text is the one that is sealed from its tree.
@Suite struct DocumentTextTests {
    private static let writerInfo = SafeBackup.WriterInfo(
        generation: 7, writtenAt: Timestamp(milliseconds: 1_800_000_000_000), writer: (0..<16).map { UInt8($0) })

    private func profile(_ json: String, _ deviceGroupKey: UInt8?) throws -> Profile {
        let document = try SafeDocument(parse(json))
        guard let deviceGroupKey else { return Profile(document) }
        return Profile(
            document,
            deviceGroupKey: DeviceGroupKey(SecureBytes(copying: [UInt8](repeating: deviceGroupKey, count: 32).span)))
    }

    /// What is encrypted if the profile is sealed from its text; nil if that is left to the tree.
    private func text(_ profile: borrowing Profile, _ writerInfo: SafeBackup.WriterInfo?) throws -> [UInt8]? {
        let keys = safeKeys()
        let blob = try SafeBackup.seal(
            clientKey(), content: profile.revealContent(), writerInfo: writerInfo, keys: keys)
        guard let blob else { return nil }
        return try SafeBackup.decrypt(blob.span, keys: keys).copied
    }

    private func tree(_ profile: borrowing Profile, _ writerInfo: SafeBackup.WriterInfo?) throws -> [UInt8] {
        let keys = safeKeys()
        let blob = try SafeBackup.seal(clientKey(), profile, writerInfo: writerInfo, keys: keys)
        return try SafeBackup.decrypt(blob.span, keys: keys).copied
    }

    @Test(arguments: [
        #"{"info":{"version":1},"user":{}}"#, #"{"info":{"version":1},"user":{"nickname":"n"}}"#,
        #"{"info":{"version":1},"user":{"zzz":"n"}}"#, #"{"info":{"version":1},"user":{"a":1,"zzz":"n"}}"#,
        #"{"info":{"version":1},"user":{"private":1,"privatekeys":2}}"#,
        #"{"aaa":{"user":{}},"info":{"version":1},"user":{"user":{}},"zzz":{"privatekey":1}}"#,
        #"{"info":{"version":1},"user":{},"keytoo":1,"keytools":2,"keyto":[{"keytool":1}]}"#,
        #"{"info":{"version":1},"user":{"nickname":"\"},{\\"},"contacts":[{"identity":"ECHOECHO","nickname":"},\"user\":{"}]}"#,
        #"{"info":{"version":1,"device":"é🔑\n\u0001"},"user":{"nickname":"\/"},"contacts":[],"settings":{}}"#,
        #"{"info":{"version":1},"user":{},"x":[0.10,1e400,-0,123456789012345678901234567890]}"#,
        #"{"info":{"version":1},"user":{"temporaryDeviceGroupKeyTodoRemove":null}}"#,
    ]) func `byte for byte`(_ json: String) throws {
        // No document has both a null in its place and the key.
        for deviceGroupKey: UInt8? in json.contains("Remove") ? [nil] : [nil, 0xdd] {
            let profile = try profile(json, deviceGroupKey)
            for writerInfo in [nil, Self.writerInfo] {
                let text = try #require(try text(profile, writerInfo))
                #expect(text == (try tree(profile, writerInfo)))
                let opened = try open(
                    SafeBackup.seal(text.span, nonce: [UInt8](repeating: 1, count: 24), keys: safeKeys()))
                let isSame = opened.profile == profile
                #expect(isSame)
                #expect(opened.writerInfo == writerInfo)
                #expect(opened.clientKey == [UInt8](repeating: 0xcc, count: 32))
            }
        }
    }

    @Test(arguments: [
        // There is already something where the key or the writer info has to stand.
        #"{"info":{"version":1},"user":{"privatekey":1}}"#, #"{"info":{"version":1},"user":{},"keytool":1}"#,
        // A name that is written with an escape.
        #"{"info":{"version":1},"user":{"\n":1}}"#,
    ]) func `what the text does not allow is left to the tree`(_ json: String) throws {
        let text = try text(profile(json, nil), Self.writerInfo)
        #expect(text == nil)
    }

    @Test func `as many values as can be read, and no more`() throws {
        // Beside these: the object, info, version, user, x; and with the writer info four more.
        for (count, isRead) in [(199_991, true), (199_992, false)] {
            let profile = try profile(
                #"{"info":{"version":1},"user":{},"x":[\#(Array(repeating: "1", count: count).joined(separator: ","))]}"#,
                nil)
            #expect((try text(profile, Self.writerInfo) != nil) == isRead)
            if isRead {
                _ = try tree(profile, Self.writerInfo)
            } else {
                #expect(throws: SafeBackupError.json(.tooManyValues(limit: 200_000))) {
                    try tree(profile, Self.writerInfo)
                }
            }
        }
    }

    @Test func `a document past 8 MiB is refused`() throws {
        let nickname = String(repeating: "n", count: SafeBackup.maxDocumentBytes)
        let profile = try profile(#"{"info":{"version":1},"user":{"nickname":"\#(nickname)"}}"#, nil)
        #expect(throws: SafeBackupError.gzip(.tooLarge(limit: SafeBackup.maxDocumentBytes))) {
            try text(profile, nil)
        }
    }
}
