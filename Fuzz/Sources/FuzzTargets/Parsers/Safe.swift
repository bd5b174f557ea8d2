@testable import Encodings
@testable import HTTP
@testable import Primitives
@testable import SecureMemory
@testable import Threema
@testable import ThreemaDirectory
@testable import ThreemaSafe

/// Backups of Threema Safe, and what a directory answers.
enum Safe {
    private static let nonce = [UInt8](repeating: 2, count: SecretBox.nonceCount)
    private static var keys: SafeKeys {
        SafeKeys(masterKey: SecureBytes(copying: [UInt8](repeating: 8, count: SafeKeys.masterKeyCount).span))
    }

    static func backup(_ bytes: [UInt8]) throws {
        _ = try SafeBackup.open(bytes.span, keys: keys)
        fatalError("a backup that nobody sealed opens")
    }

    /// The document is the input's, gzip and box are right.
    static func document(_ bytes: [UInt8]) throws {
        let sealed = SafeBackup.seal(bytes.span, nonce: nonce, keys: keys)
        expect(try! SafeBackup.decrypt(sealed.span, keys: keys).revealBytes() == bytes, "the same document")
        let opened = try SafeBackup.open(sealed.span, keys: keys)
        let again = try SafeBackup.seal(
            opened.clientKey, opened.profile, writerInfo: opened.writerInfo, keys: keys, nonce: nonce)
        let reopened = try! SafeBackup.open(again.span, keys: keys)
        expect(reopened.profile == opened.profile, "the same profile")
        expect(reopened.writerInfo == opened.writerInfo, "the same writer")
        expect(
            reopened.clientKey.bytes.revealBytes() == opened.clientKey.bytes.revealBytes(), "the same key")
    }

    /// What stands in the box is the input's: a gzip member, or what a fuzzer makes of one.
    static func member(_ bytes: [UInt8]) throws {
        let sealed = keys.withEncryptionKey { SecretBox.sealWithNonce(bytes.span, nonce: nonce, key: $0) }
        _ = try SafeBackup.open(sealed.span, keys: keys)
    }

    static func documentFile(_ bytes: [UInt8]) throws {
        if let whole = try? Profile(decodingWhole: bytes.span) {
            let content = whole.revealContent().revealBytes()
            let again = try! Profile(decodingWhole: content.span)
            expect(again == whole, "the same profile")
        }
        let file = try DocumentFile(decoding: bytes.span)
        _ = file.profile.document.contactCount
    }

    static func picture(_ bytes: [UInt8]) throws {
        if let size = ProfilePicture.size(of: bytes) { expect(size.width >= 0 && size.height >= 0, "a size") }
        _ = try ProfilePicture(jpeg: bytes)
    }

    // MARK: Directory

    private static let ids = [try! ThreemaID("ECHOECHO"), try! ThreemaID("ABCD1234"), try! ThreemaID("*TESTEST")]

    /// The first byte chooses the request, the second one the status; the rest is the answer's body.
    static func directory(_ bytes: [UInt8]) throws {
        let (first, rest) = split(bytes)
        let (second, body) = split(rest)
        let status = [200, 204, 400, 401, 404, 409, 429, 500][Int(second & 7)]
        let response = HTTPResponse(status: status, body: body)
        let key = Chat.identity.clientKey.bytes.withBytes { ClientKey(SecureBytes(copying: $0)) }
        switch first % 16 {
        case 0:
            let entry = try ServiceRequest<DirectoryEntry, DirectoryError>.fetch(ids[0]).answer(response)
            expect(entry.id == ids[0], "the entry that was asked for")
        case 1:
            let entries = try ServiceRequest<[DirectoryEntry], DirectoryError>.fetch(ids).answer(response)
            expect(entries.allSatisfy { ids.contains($0.id) }, "only entries that were asked for")
        case 2:
            let checked = try ServiceRequest<CheckedIdentities, DirectoryError>.check(ids).answer(response)
            expect(checked.identities.count == ids.count, "one for each")
        case 3:
            let masks = try ServiceRequest<[FeatureMask?], DirectoryError>.checkFeatureMask(ids).answer(response)
            expect(masks.count == ids.count, "one for each")
        case 4: _ = try SignedRequest<OwnEntry>.fetchOwn(ids[0]).answer(response)
        case 5: _ = try SignedRequest<OwnEntry>.fetchOwn(ids[0]).next(response, key: key)
        case 6: _ = try SignedRequest<MatchToken>.matchToken(for: ids[0]).answer(response)
        case 7: _ = try SignedRequest<MatchToken>.matchToken(for: ids[0]).next(response, key: key)
        case 8: _ = try SignedRequest<RevocationStatus>.checkRevocationKey(of: ids[0]).answer(response)
        case 9: _ = try SignedRequest<TurnCredentials>.turnCredentials(for: ids[0]).answer(response)
        case 10: _ = try SignedRequest<GroupCallCredentials>.groupCallCredentials(for: ids[0]).answer(response)
        case 11: _ = try SignedRequest<BlobCredentials>.blobCredentials(for: ids[0]).answer(response)
        case 12: _ = try ServiceRequest<SecureBytes, DirectoryError>.authenticationToken().answer(response)
        case 13:
            let email = try EmailAddress(normalizing: "a@example.org")
            _ = try SignedRequest<LinkResult>.link(email, to: ids[0], language: "en").answer(response)
        case 14: _ = try SignedRequest<Void>.setFeatureMask([], of: ids[0]).next(response, key: key)
        default:
            let hashes = [ContactHash(try EmailAddress(normalizing: "a@example.org"))]
            let found = try ServiceRequest<FoundContacts, DirectoryError>.match(hashes).answer(response)
            expect(found.contacts.count <= body.count, "a contact has its bytes")
        }
    }

    static func directoryServer(_ bytes: [UInt8]) throws {
        let server = try DirectoryServer(decoding: bytes.span)
        let encoded = server.encoded
        expect((try? DirectoryServer(decoding: encoded.span).encoded) == encoded, "the same server")
    }

    private static let seed = [UInt8](repeating: 4, count: 32)

    static func provisioning(_ bytes: [UInt8]) throws {
        _ = try ProvisioningFile(bytes.span, signedBy: Ed25519.publicKey(of: seed.span))
        fatalError("a file that nobody signed opens")
    }

    /// The signature under the input is right, and so is the key in it if it stands as 32 times "K" in the input's place of
    /// the key: the text of the key is put in for each `"signatureKey":""`.
    static func signedProvisioning(_ bytes: [UInt8]) throws {
        let key = Ed25519.publicKey(of: seed.span)
        let mark = Array("\"signatureKey\":\"".utf8)
        var text = bytes
        if let start = text.indices.first(where: { text[$0...].starts(with: mark) }) {
            text.insert(contentsOf: Base64.encode(key.span).utf8, at: start + mark.count)
        }
        let signature = Base64.encode(Ed25519.sign(text.span, seed: seed.span).span)
        let file = try ProvisioningFile((text + [0x0a] + Array(signature.utf8)).span, signedBy: key)
        expect(file.refresh >= .seconds(1800), "not more often than allowed")
        _ = try file.directory()
    }
}
