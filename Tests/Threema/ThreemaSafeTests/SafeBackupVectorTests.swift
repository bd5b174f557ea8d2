import Encodings
import Primitives
import SecureMemory
import Testing
import Threema
import ThreemaSafe
import VectorKit

/// Published and generated backups, both ways.
@Suite struct SafeBackupVectorTests {
    private func keys(of vector: Vector) throws -> SafeKeys {
        let masterKey = try vector.inputs.bytes("master_key")
        return SafeKeys(masterKey: SecureBytes(copying: masterKey.span))
    }

    @Test(arguments: try Vector.all(in: .safeEncrypt)) func `backups that are written`(_ vector: Vector) throws {
        let keys = try keys(of: vector)
        let json = try vector.inputs.bytes("json_utf8_hex")
        let nonce = try vector.inputs.bytes("nonce")
        let blob = SafeBackup.seal(json.span, nonce: nonce, keys: keys)
        // One vector is compressed, as no app writes it, but as all of them read it.
        if vector.id != "safe-enc-gen-gzip9" {
            #expect(try blob.count == vector.expected.integer("blob_len"))
        }
        // Where a second block is needed, writers cut at different places: that one is checked by reading.
        if blob.count < 65_535, vector.id != "safe-enc-gen-gzip9" {
            let digest = SHA256.hash(blob.span)
            #expect(try digest == vector.expected.bytes("blob_sha256"))
        }
        let isSame = try SafeBackup.decrypt(blob.span, keys: keys).copied == json
        #expect(isSame)
    }

    @Test(arguments: try Vector.all(in: .safeEncrypt).filter { $0.expected.has("blob_hex") })
    func `backups that are read`(_ vector: Vector) throws {
        let keys = try keys(of: vector)
        let blob = try vector.expected.bytes("blob_hex")
        let json = try SafeBackup.decrypt(blob.span, keys: keys).copied
        let isSame = try json == vector.inputs.bytes("json_utf8_hex")
        #expect(isSame)
        let opened = try open(blob, keys: keys)
        #expect(opened.clientKey == [UInt8](repeating: 0xcc, count: 32))
        #expect(opened.writerInfo == nil)
        #expect(!opened.document.text.contains("privatekey"))
    }

    @Test(arguments: try Vector.all(in: .safeDecrypt)) func `backups that are refused`(_ vector: Vector) throws {
        #expect(vector.negative)
        let keys = try keys(of: vector)
        let blob = try vector.inputs.bytes("blob_hex")
        let word = try vector.expected.string("error")
        let error = #expect(throws: SafeBackupError.self) { try open(blob, keys: keys) }
        switch error {
        // The apps count 24 bytes as enough; no backup is shorter than nonce and tag.
        case .tooShort(40, blob.count)?: #expect(word == "too_short")
        case .notAuthentic?: #expect(word == "decrypt")
        case .gzip(.notGzip)?: #expect(word == "gunzip")
        default: Issue.record("\(String(describing: error))")
        }
    }

    @Test func `the published document of an app`() throws {
        let vector = try Vector.named("safe-json-ios-load", in: .safeJSON)
        let json = try vector.inputs.string("json")
        // Its private key is not one, which only the backup around it finds out.
        #expect(throws: SafeBackupError.privateKey) { try open(sealed(json)) }
        let whole = json.replacing("key123", with: sampleKeyText)
        let document = try open(sealed(whole)).document
        #expect(try document.nickname == vector.expected.string("nickname"))
        #expect(document.device == "ios")
        #expect(document.profilePictureCount == "pic source".utf8.count)
        #expect(
            document.text
                == #"{"info":{"device":"ios","version":1},"user":{"links":[{"name":"privat","type":"email","#
                + #""value":"a@a.a"}],"nickname":"nicki","profilePic":"pic source","#
                + #""profilePicRelease":["ECHOECHO","TEST1234"]}}"#)
    }

    @Test func `the published spelling of a private key`() throws {
        let vector = try Vector.named("safe-json-android-key", in: .safeJSON)
        let bytes = try vector.inputs.bytes("private_key_hex")
        let key = ClientKey(SecureBytes(copying: bytes.span))
        let text = try vector.expected.string("privatekey_base64")
        let keys = safeKeys()
        let blob = try SafeBackup.seal(key, .empty, writerInfo: nil, keys: keys)
        let json = try SafeBackup.decrypt(blob.span, keys: keys).copied
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"{"contacts":[],"info":{"device":"keytool","version":1},"#
                + #""settings":{"syncContacts":false},"user":{"privatekey":"\#(text)"}}"#)
        let opened = try open(blob)
        #expect(opened.clientKey == bytes)
    }

    @Test func `ids of groups and lists stay as an app wrote them`() throws {
        let vector = try Vector.named("safe-json-group-id-le", in: .safeJSON)
        let ids = try vector.expected.strings("id_hex")
        let groups = ids.map { #"{"id":"\#($0)","creator":"ECHOECHO","members":[],"deleted":false}"# }
        let lists = ids.map { #"{"id":"\#($0)","name":"n","members":[]}"# }
        let document = try SafeDocument(
            parse(
                #"{"info":{"version":1},"user":{},"groups":[\#(groups.joined(separator: ","))],"#
                    + #""distributionlists":[\#(lists.joined(separator: ","))]}"#))
        #expect(document.groupCount == 3)
        #expect(document.distributionListCount == 3)
        for id in ids { #expect(document.text.ranges(of: "\"id\":\"\(id)\"").count == 2) }
    }
}
