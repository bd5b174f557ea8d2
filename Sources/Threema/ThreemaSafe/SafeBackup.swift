public import Encodings
internal import Primitives
public import SecureMemory
public import Threema

// The encrypted backup (whitepaper, "Threema Safe", "Encryption"; the gzip between JSON and
// encryption is not in the whitepaper, but no app reads a backup without it):
//
//   offset  length  meaning
//        0      24  nonce, random
//       24      16  tag
//       40       n  gzip(JSON), encrypted: secretbox with the Safe encryption key
//
// The JSON holds the private key, and sometimes the device group key, as Base64: see `DocumentSecrets`.

/// The contents of a Safe backup.
public struct SafeBackup: ~Copyable, Sendable {
    /// The private key, which is not part of the document here.
    public let clientKey: ClientKey
    /// The document without secrets and writer info, and the device group key.
    public let profile: Profile
    /// The writer info; nil if an app wrote the backup.
    public let writerInfo: WriterInfo?

    /// The writer info: the member `keytool` of the document. Apps ignore it, and drop it when they write.
    public struct WriterInfo: Equatable, Sendable {
        /// Counts the uploads of one backup, from 1. A lower one than before shows an older copy.
        public let generation: Int64
        /// The time of writing, by the writer's clock.
        public let writtenAt: Timestamp
        /// Identifies the writing keystore: 16 bytes, which reveal nothing else.
        public let writer: [UInt8]

        /// Creates writer info.
        /// - Parameter writer: 16 bytes.
        public init(generation: Int64, writtenAt: Timestamp, writer: [UInt8]) {
            precondition(writer.count == Self.writerCount)
            self.generation = generation
            self.writtenAt = writtenAt
            self.writer = writer
        }

        /// The generations that are read and written.
        public static let generations = Int64(1)...1 << 53
        /// Length of `writer` in bytes.
        public static let writerCount = 16
    }

    /// Longest JSON document, in bytes.
    public static let maxDocumentBytes = 8 * 1024 * 1024
    static let stampName = "keytool"

    /// Combines the parts of a backup.
    public init(clientKey: consuming ClientKey, profile: consuming Profile, writerInfo: WriterInfo?) {
        self.clientKey = clientKey
        self.profile = profile
        self.writerInfo = writerInfo
    }

    /// The document without secrets and writer info.
    public var document: SafeDocument { profile.document }

    /// The identity with this backup's private key. The backup does not contain its ID.
    public func identity(_ id: ThreemaID) -> Identity {
        Identity(id: id, clientKey: ClientKey(clientKey.bytes.withBytes { SecureBytes(copying: $0) }))
    }

    // MARK: Sealing

    /// Encrypts a backup under a random nonce, opens it again and compares.
    /// - Returns: nonce ‖ tag ‖ ciphertext: longer than the JSON by 40 bytes, 18 of gzip, and 5 for each started block
    ///   of 65,535 bytes.
    /// - Throws: `.gzip(.tooLarge)` for more than 8 MiB of JSON; `.notReproduced`.
    public static func seal(
        _ clientKey: borrowing ClientKey, _ profile: borrowing Profile, writerInfo: WriterInfo?,
        keys: borrowing SafeKeys
    ) throws(SafeBackupError) -> [UInt8] {
        try seal(clientKey, profile, writerInfo: writerInfo, keys: keys, nonce: randomNonce())
    }

    private static func randomNonce() -> [UInt8] { Random.bytes(SecretBox.nonceCount) }

    /// Encrypts a backup under a given nonce.
    /// - Parameter nonce: 24 bytes, never used twice with one key.
    package static func seal(
        _ clientKey: borrowing ClientKey, _ profile: borrowing Profile, writerInfo: WriterInfo?,
        keys: borrowing SafeKeys, nonce: [UInt8]
    ) throws(SafeBackupError) -> [UInt8] {
        let json = revealDocument(clientKey, profile, writerInfo)
        guard json.count <= maxDocumentBytes else { throw .gzip(.tooLarge(limit: maxDocumentBytes)) }
        let blob = json.withBytes { seal($0, nonce: nonce, keys: keys) }
        // The backup is opened and compared before anybody relies on it.
        let reopened = try open(blob.span, keys: keys)
        let isSameKey = clientKey.bytes.withBytes { key in
            reopened.clientKey.bytes.withBytes { ConstantTime.areEqual(key, $0) }
        }
        guard isSameKey, reopened.profile == profile, reopened.writerInfo == writerInfo else { throw .notReproduced }
        return blob
    }

    /// Encrypts a backup under a random nonce, from the profile's JSON and without parsing it.
    /// - Parameters:
    ///   - clientKey: the private key that is written into the document.
    ///   - content: the JSON that `Profile.revealContent` returns.
    ///   - writerInfo: the member `keytool`; nil to leave it out.
    ///   - keys: the keys of the backup.
    /// - Returns: as the other `seal`; nil if `content` is not canonical and has to be parsed.
    /// - Throws: `.gzip(.tooLarge)` for more than 8 MiB of JSON; `.notReproduced`.
    package static func seal(
        _ clientKey: borrowing ClientKey, content: borrowing SecureBytes, writerInfo: WriterInfo?,
        keys: borrowing SafeKeys
    ) throws(SafeBackupError) -> [UInt8]? {
        try seal(clientKey, content: content, writerInfo: writerInfo, keys: keys, nonce: randomNonce())
    }

    /// Encrypts a backup from the profile's JSON, under a given nonce.
    /// - Parameter nonce: 24 bytes, never used twice with one key.
    package static func seal(
        _ clientKey: borrowing ClientKey, content: borrowing SecureBytes, writerInfo: WriterInfo?,
        keys: borrowing SafeKeys, nonce: [UInt8]
    ) throws(SafeBackupError) -> [UInt8]? {
        let member: [UInt8] = writerInfo.map { Array(("\"\(stampName)\":").utf8) + value($0).sorted.encoded } ?? []
        let text = clientKey.bytes.withBytes { key in
            content.withBytes { DocumentText.reveal($0, key, writerInfo: member) }
        }
        guard let json = text else { return nil }
        guard json.count <= maxDocumentBytes else { throw .gzip(.tooLarge(limit: maxDocumentBytes)) }
        let blob = json.withBytes { seal($0, nonce: nonce, keys: keys) }
        // The backup is opened and compared before anybody relies on it.
        let reopened = try decrypt(blob.span, keys: keys)
        let isSame = json.withBytes { json in reopened.withBytes { ConstantTime.areEqual(json, $0) } }
        guard isSame else { throw .notReproduced }
        return blob
    }

    /// Compresses and encrypts JSON without checking it.
    package static func seal(_ json: Span<UInt8>, nonce: [UInt8], keys: borrowing SafeKeys) -> [UInt8] {
        let member = Gzip.store(json)
        return member.withBytes { member in
            keys.withEncryptionKey { key in SecretBox.sealWithNonce(member, nonce: nonce, key: key) }
        }
    }

    /// The document as JSON with writer info, but without secrets.
    package var encodedDocument: [UInt8] { Self.withWriterInfo(document, writerInfo).encoded }

    /// The document as JSON with writer info, private key, and device group key if the profile has one. These are the
    /// bytes that are encrypted.
    public func revealDocument() -> SecureBytes { Self.revealDocument(clientKey, profile, writerInfo) }

    private static func withWriterInfo(_ document: SafeDocument, _ writerInfo: WriterInfo?) -> JSONValue {
        document.root.setting(stampName, to: writerInfo.map(value)).sorted
    }

    private static func value(_ writerInfo: WriterInfo) -> JSONValue {
        [
            "generation": .number(writerInfo.generation), "written_at": .number(writerInfo.writtenAt.milliseconds),
            "writer": .string(Hex.encode(writerInfo.writer)),
        ]
    }

    private static func revealDocument(
        _ clientKey: borrowing ClientKey, _ profile: borrowing Profile, _ writerInfo: WriterInfo?
    ) -> SecureBytes {
        clientKey.bytes.withBytes {
            DocumentSecrets.reveal(withWriterInfo(profile.document, writerInfo), $0, profile.deviceGroupKey)
        }
    }

    // MARK: Opening

    /// Decrypts and parses a backup.
    /// - Throws: the layer that fails, the outermost first: `.tooShort`, `.notAuthentic`, `.gzip`, `.json`,
    ///   `.document`, `.privateKey`, `.deviceGroupKey`.
    public static func open(_ blob: Span<UInt8>, keys: borrowing SafeKeys) throws(SafeBackupError) -> SafeBackup {
        let json = try decrypt(blob, keys: keys)
        return try json.withBytes { (json) throws(SafeBackupError) in try decode(json) }
    }

    /// Decrypts a backup without parsing its JSON.
    package static func decrypt(_ blob: Span<UInt8>, keys: borrowing SafeKeys) throws(SafeBackupError) -> SecureBytes {
        let minimum = SecretBox.nonceCount + SecretBox.tagCount
        guard blob.count >= minimum else { throw .tooShort(minimum: minimum, actual: blob.count) }
        let nonce = blob.extracting(0..<SecretBox.nonceCount).revealBytes()
        let box = blob.extracting(SecretBox.nonceCount..<blob.count)
        let member: SecureBytes
        do {
            member = try keys.withEncryptionKey { (key) throws(AuthenticationError) in
                try SecretBox.open(box, nonce: nonce, key: key)
            }
        } catch {
            throw .notAuthentic
        }
        do throws(GzipError) {
            return try member.withBytes { (member) throws(GzipError) in
                try Gzip.open(member, limit: maxDocumentBytes)
            }
        } catch {
            throw .gzip(error)
        }
    }

    private static func decode(_ json: Span<UInt8>) throws(SafeBackupError) -> SafeBackup {
        let secrets: DocumentSecrets
        do throws(JSONError) { secrets = try DocumentSecrets(cutFrom: json) } catch { throw .json(error) }
        let document: SafeDocument
        do throws(SafeDocumentError) {
            document = try SafeDocument(secrets.root.setting(stampName, to: nil))
        } catch {
            throw .document(error)
        }
        guard let clientKey = try key(secrets.privateKey, or: .privateKey) else { throw .privateKey }
        let profile: Profile
        if let key = try key(secrets.deviceGroupKey, or: .deviceGroupKey) {
            profile = Profile(document, deviceGroupKey: DeviceGroupKey(key))
        } else {
            profile = Profile(document)
        }
        return SafeBackup(
            clientKey: ClientKey(clientKey), profile: profile, writerInfo: writerInfo(secrets.root[stampName]))
    }

    /// - Returns: nil if `text` is nil.
    static func key(
        _ text: borrowing SecureBytes?, or error: SafeBackupError
    ) throws(SafeBackupError) -> SecureBytes? {
        switch text {
        case .none: return nil
        case .some(let text):
            guard let key = DocumentSecrets.decode(text) else { throw error }
            return key
        }
    }

    /// Malformed writer info is ignored, because only warnings depend on it.
    private static func writerInfo(_ value: JSONValue?) -> WriterInfo? {
        guard let generation = value?["generation"]?.integer, WriterInfo.generations.contains(generation),
            let writtenAt = value?["written_at"]?.integer,
            let writer = value?["writer"]?.string.flatMap(Hex.decode), writer.count == WriterInfo.writerCount
        else { return nil }
        return WriterInfo(generation: generation, writtenAt: Timestamp(milliseconds: writtenAt), writer: writer)
    }
}

/// The layer of a Safe backup that failed.
public enum SafeBackupError: Error, Equatable, Sendable {
    case tooShort(minimum: Int, actual: Int)
    /// The key is another one, or the bytes were changed.
    case notAuthentic
    case gzip(GzipError)
    case json(JSONError)
    case document(SafeDocumentError)
    /// `user.privatekey` is missing or is not the Base64 of 32 bytes.
    case privateKey
    /// `user.temporaryDeviceGroupKeyTodoRemove` is a string, but not the Base64 of 32 bytes.
    case deviceGroupKey
    /// A new backup does not open, because of a defect of the machine or of this program.
    case notReproduced
}
