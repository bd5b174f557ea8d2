internal import SafeRules
internal import Encodings
internal import Keystore
internal import Primitives
internal import SafeWire
internal import SecureMemory
internal import Threema

/// What is remembered between two runs, in the plain file `state.json`. It names no server and no
/// backup id: both stand in it as a keyed digest only.
///
/// A state that does not parse, whose authentication code is wrong, or that belongs to another server
/// or backup id counts as "never uploaded". Nothing in it can therefore keep an upload from
/// happening, whoever edits it; only an older, genuine copy can be put back.
struct UploadState: Equatable {
    /// When a backup code of this identity was last opened here.
    var codeProvenAt: Timestamp?
    /// What is known of the Safe backup; nil where nothing is.
    var safe: Safe?
    /// What is known of it at the next target, while a change of password or server is not finished.
    var next: Safe?

    struct Safe: Equatable {
        /// Keyed digest of server address and backup id.
        var target: [UInt8]
        /// Keyed digest of address, backup id and document at the last upload.
        var content: [UInt8]?
        /// Digest of the encrypted backup that was last seen on the server and is known here.
        var seen: [UInt8]?
        /// Digest of an encrypted backup that may have arrived: it was about to be sent.
        var sending: [UInt8]?
        var uploadedAt: Timestamp?
        var seenAt: Timestamp?
        var notBefore: Timestamp?
        /// Whether the last upload did not end well, or did not end.
        var hasFailed = false
        var retentionDays: Int64 = 0
        /// The highest generation that was seen.
        var generation: Int64 = 0
        /// Contacts in the document at the last upload.
        var contacts: Int64 = 0
        /// When a person last proved to know the Safe password.
        var passwordProvenAt: Timestamp?

        init(target: [UInt8]) { self.target = target }
    }
}

extension UploadState {
    private static let version: Int64 = 1
    static let digestPurpose: RecordName = "state"

    // MARK: Reading and writing

    /// Reads the state of an identity; a missing or unbelievable one is empty.
    init(of records: borrowing IdentityRecords, key: borrowing SecureBytes) throws {
        guard let file = try records.readState(),
            let root = try? file.withBytes({ (bytes) throws(JSONError) in try JSONScanner.parse(bytes) }),
            root["version"]?.integer == Self.version,
            let mac = root["mac"]?.string.flatMap(Hex.decode),
            ConstantTime.areEqual(mac.span, Self.mac(of: root.setting("mac", to: nil), records.id, key).span)
        else { return }
        codeProvenAt = root["code_proven_at"]?.integer.map(Timestamp.init)
        safe = root["safe"].flatMap(Safe.init)
        next = root["next"].flatMap(Safe.init)
    }

    /// What is known of the Safe at a target; what was remembered of another server or backup id says nothing.
    func safe(at digests: TargetDigests) -> Safe? {
        [safe, next].compactMap { $0 }.first { $0.target == digests.target }
    }

    /// What a run has learned. What is known of the present target stays until a change is finished: it may be
    /// refused, or taken back.
    mutating func keep(_ safe: Safe, asNext isNext: Bool) {
        if isNext {
            next = safe
        } else {
            self.safe = safe
            if next?.target == safe.target { next = nil }
        }
    }

    func write(to identity: borrowing LockedIdentity, key: borrowing SecureBytes) throws {
        var root: JSONValue = ["version": .number(Self.version)]
        root = root.setting("code_proven_at", to: codeProvenAt.map { .number($0.milliseconds) })
        root = root.setting("safe", to: safe?.value)
        root = root.setting("next", to: next?.value)
        let mac = Self.mac(of: root, identity.records.id, key)
        try identity.writeState(root.setting("mac", to: .string(Hex.encode(mac))).encoded)
    }

    private static func mac(of root: JSONValue, _ id: String, _ key: borrowing SecureBytes) -> [UInt8] {
        BLAKE2b.authenticate((Array(id.utf8) + [0] + root.sorted.encoded).span, key: key)
    }
}

extension UploadState.Safe {
    fileprivate init?(_ value: JSONValue) {
        guard let target = value["target"]?.string.flatMap(Hex.decode) else { return nil }
        self.init(target: target)
        content = value["content"]?.string.flatMap(Hex.decode)
        seen = value["seen"]?.string.flatMap(Hex.decode)
        sending = value["sending"]?.string.flatMap(Hex.decode)
        uploadedAt = value["uploaded_at"]?.integer.map(Timestamp.init)
        seenAt = value["seen_at"]?.integer.map(Timestamp.init)
        notBefore = value["not_before"]?.integer.map(Timestamp.init)
        hasFailed = value["failed"]?.bool ?? true
        retentionDays = value["retention_days"]?.integer ?? 0
        generation = min(max(0, value["generation"]?.integer ?? 0), SafeBackup.Stamp.generations.upperBound)
        contacts = max(0, value["contacts"]?.integer ?? 0)
        passwordProvenAt = value["password_proven_at"]?.integer.map(Timestamp.init)
    }

    fileprivate var value: JSONValue {
        let members: [(String, JSONValue?)] = [
            ("target", .string(Hex.encode(target))),
            ("content", content.map { .string(Hex.encode($0)) }),
            ("seen", seen.map { .string(Hex.encode($0)) }),
            ("sending", sending.map { .string(Hex.encode($0)) }),
            ("uploaded_at", uploadedAt.map { .number($0.milliseconds) }),
            ("seen_at", seenAt.map { .number($0.milliseconds) }),
            ("not_before", notBefore.map { .number($0.milliseconds) }),
            ("failed", .bool(hasFailed)),
            ("retention_days", .number(retentionDays)),
            ("generation", .number(generation)),
            ("contacts", .number(contacts)),
            ("password_proven_at", passwordProvenAt.map { .number($0.milliseconds) }),
        ]
        return .object(members.compactMap { name, value in value.map { JSONValue.Member(name, $0) } })
    }

    /// What the decision needs to know. The state must belong to the target at hand.
    func past(content: [UInt8]) -> UploadDecision.Past {
        UploadDecision.Past(
            isUnchanged: content == self.content, hasFailed: hasFailed, lastUpload: uploadedAt, lastSeen: seenAt,
            notBefore: notBefore, retentionDays: retentionDays)
    }
}

/// The keyed digests by which a state recognises a target and a content.
struct TargetDigests {
    /// Of server address and backup id.
    let target: [UInt8]
    /// Of address, backup id and document, which holds neither private key nor stamp.
    let content: [UInt8]
    /// Of address and backup id, for the stamp in the backup: 16 bytes by which this keystore knows its own.
    let writer: [UInt8]

    init(_ target: borrowing SafeTarget, _ document: SafeDocument, key: borrowing SecureBytes) {
        let prefix = Array(target.address.text.utf8) + [0] + Array(target.keys.backupID.hex.utf8)
        self.target = BLAKE2b.authenticate(prefix.span, key: key)
        content = BLAKE2b.authenticate((prefix + document.encoded).span, key: key)
        let writerDigest = BLAKE2b.authenticate((Array("writer".utf8) + [0] + prefix).span, key: key)
        writer = Array(writerDigest.prefix(SafeBackup.Stamp.writerCount))
    }
}
