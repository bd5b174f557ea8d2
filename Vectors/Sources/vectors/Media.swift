import Primitives
import SecureMemory
import Threema
import ThreemaMedia
import ThreemaMessages

/// Operations of files for a media server.
enum Media {
    /// The nonces of a blob are not public: a secretbox under the expected nonce has to be equal to the blob.
    static func sealBlob(_ check: inout Check) throws {
        let key = EnclosedKey(try check.inputs.secret("key", count: EnclosedKey.count))
        for (part, name) in [(Blob.Part.file, "file"), (.thumbnail, "thumbnail")] where check.inputs.has(name) {
            let plain = try check.inputs.bytes(name)
            let blob = Blob.seal(plain.span, part, key: key)
            try check.compare(name + "Blob", blob)
            if !(try Blob.open(blob.span, part, key: key).equals(plain)) { check.require(name, false) }
            if check.isExpected(name + "Nonce") {
                let nonce = try check.expected.bytes(name + "Nonce", count: SecretBox.nonceCount)
                let box = key.bytes.withBytes { SecretBox.seal(plain.span, nonce: nonce, key: $0) }
                check.note(name + "Nonce", box == blob)
            }
        }
        guard check.inputs.has("file") else { throw CheckError.missing("input file") }
    }

    /// The encoding of a body is not public: the expected body is opened as a part of a message.
    static func setProfilePicture(_ check: inout Check) throws {
        let key = EnclosedKey(try check.inputs.secret("key", count: EnclosedKey.count))
        let jpeg = try check.inputs.bytes("jpeg")
        let blob = Blob.seal(jpeg.span, key: key)
        try check.compare("blob", blob)
        let id = BlobID(try check.inputs.bytes("blobId", count: BlobID.count))
        let body = MessageBody.profilePicture(
            PictureMessage(blobID: id, encryptedSize: UInt32(blob.count), key: key))
        check.compare("messageType", body.type.rawValue)
        if check.isExpected("body") {
            let typeAndBody = [body.type.rawValue] + (try check.expected.bytes("body"))
            check.note("body", try Body.opened(typeAndBody + [1]) == body)
            check.note("body", try Body.isSealed(body, as: typeAndBody))
        }
    }
}
