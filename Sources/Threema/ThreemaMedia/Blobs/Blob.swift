public import Primitives
public import SecureMemory
public import ThreemaMessages

// A file on a media server: a secretbox without its nonce, which is fixed, because each key seals one file only.
//
//   offset  length  meaning
//        0      16  tag
//       16       n  ciphertext
//
//   nonce: 23 zeros and 1 for files, pictures, images, sounds and videos; 23 zeros and 2 for thumbnails

/// Sealing and opening of files for a media server. For files that may not fit into memory see `BlobStream`.
public enum Blob {
    /// What a blob is of its message. File and thumbnail have one key, so they have different nonces.
    public enum Part: UInt8, CaseIterable, Sendable {
        case file = 1
        case thumbnail = 2

        /// 24 bytes.
        package var nonce: [UInt8] { [UInt8](repeating: 0, count: SecretBox.nonceCount - 1) + [rawValue] }
    }

    /// Bytes that a blob is longer than its file.
    public static let overhead = SecretBox.tagCount

    /// - Parameter key: a fresh one: it never seals a second file.
    /// - Returns: tag ‖ ciphertext.
    public static func seal(_ file: Span<UInt8>, _ part: Part = .file, key: EnclosedKey) -> [UInt8] {
        key.bytes.withBytes { SecretBox.seal(file, nonce: part.nonce, key: $0) }
    }

    /// - Throws: `.notAuthentic` for another key, another part or altered bytes.
    public static func open(
        _ blob: Span<UInt8>, _ part: Part = .file, key: EnclosedKey
    ) throws(AuthenticationError) -> SecureBytes {
        try key.bytes.withBytes { (key) throws(AuthenticationError) in
            try SecretBox.open(blob, nonce: part.nonce, key: key)
        }
    }

    /// Seals a picture of a person or a group under a fresh key.
    /// - Parameter jpeg: at most 4 GiB less the tag.
    /// - Returns: the blob to upload, and its key. The server's answer to the upload completes the message:
    ///   `PictureMessage(blobID:encryptedSize:key:)` with the length of the blob.
    public static func sealPicture(_ jpeg: Span<UInt8>) -> (blob: [UInt8], key: EnclosedKey) {
        precondition(jpeg.count <= Int(UInt32.max) - overhead)
        let key = EnclosedKey.random()
        return (seal(jpeg, key: key), key)
    }
}
