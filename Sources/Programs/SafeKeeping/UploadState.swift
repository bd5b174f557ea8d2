package import Encodings
package import Keystore
internal import ObservedTime
internal import Primitives
internal import SafeRules
internal import SafeWire
package import SecureMemory
internal import ThreemaRecords
internal import ThreemaSafe

/// The state between two runs, in the plain file `state.json`. Server and backup id are in it only as a keyed digest.
///
/// A state that does not parse, whose authentication code is wrong, or that belongs to another place or backup id
/// counts as "never uploaded". So an attacker who edits it cannot prevent an upload, but can restore an older,
/// authentic copy.
package struct UploadState: Equatable {
    /// When a backup code of this identity was last opened; only in the state of `main`.
    package var codeProvenAt: Timestamp?
    /// The place's own clock.
    var clock = ObservedClock()
    /// The backups in the place's history.
    var history = HistoryIndex()
    /// The state of the current target; nil if nothing is known.
    var safe: Known?
    /// The state of the next target, during a change of password or place.
    var next: Known?
    /// The state of the retiring target, until its backup is deleted.
    var retiring: Known?

    /// Nothing is known.
    package init() {}

    /// What stays if the place is set up no more, or if the private key is another one. The history stays, too.
    /// - Parameter keepsProof: whether codes that were opened still prove something.
    package func withoutTargets(keepingProof keepsProof: Bool) -> UploadState {
        var state = UploadState()
        (state.clock, state.history) = (clock, history)
        state.codeProvenAt = keepsProof ? codeProvenAt : nil
        return state
    }

    /// Whether the state says nothing that another run needs.
    var isEmpty: Bool {
        var state = self
        state.clock = ObservedClock()
        return state == UploadState()
    }

    struct Known: Equatable {
        /// Keyed digest of place and backup id.
        let target: [UInt8]
        /// The state of the place, without its digests of the present document and backup id.
        var state: PlaceState
    }
}

extension UploadState {
    private static let version: Int64 = 1
    static let digestPurpose: RecordName = "state"

    // MARK: Reading and writing

    /// Reads the state of a place. It is empty if the file is missing or not authentic.
    package init(of records: borrowing IdentityRecords, at place: PlaceName, key: borrowing SecureBytes) throws {
        guard let file = try records.readState(of: place),
            let root = try? file.withBytes({ (bytes) throws(JSONError) in try JSONScanner.parse(bytes) }),
            root["version"]?.integer == Self.version,
            let mac = root["mac"]?.string.flatMap(Hex.decode),
            ConstantTime.areEqual(
                mac.span, Self.mac(of: root.setting("mac", to: nil), records.owner.id, place, key).span)
        else { return }
        codeProvenAt = root["code_proven_at"]?.integer.map(Timestamp.init)
        clock = ObservedClock(root["clock"])
        history = HistoryIndex(root["history"])
        safe = root["safe"].flatMap(Known.init)
        next = root["next"].flatMap(Known.init)
        retiring = root["retiring"].flatMap(Known.init)
    }

    /// The state of a target. It is empty if it belongs to another place or backup id.
    func state(at target: borrowing SafeTarget, _ digests: TargetDigests) -> PlaceState {
        var state = known(at: digests.target) ?? .unknown
        state.document = digests.content
        // A digest, because the id itself is half of the Safe key.
        let backupID = Array(target.keys.backupID.hex.utf8)
        state.backup = Digest(BLAKE2b.hash(backupID.span)) ?? .none
        return state
    }

    /// Encodes the state of a place.
    /// - Parameter place: the digest `TargetDigests.place`.
    func known(at place: [UInt8]) -> PlaceState? {
        [safe, next, retiring].compactMap { $0 }.first { $0.target == place }?.state
    }

    /// The file's bytes.
    /// - Parameter now: the wall clock, which the place's clock reads.
    package func encoded(
        for id: String, at place: PlaceName, key: borrowing SecureBytes, now: Timestamp
    ) -> [UInt8] {
        var clock = clock
        clock.read(now)
        var root: JSONValue = ["version": .number(Self.version)]
        root = root.setting("clock", to: clock.value)
        root = root.setting("history", to: history.value)
        root = root.setting("code_proven_at", to: codeProvenAt.map { .number($0.milliseconds) })
        root = root.setting("safe", to: safe?.value)
        root = root.setting("next", to: next?.value)
        root = root.setting("retiring", to: retiring?.value)
        return root.setting("mac", to: .string(Hex.encode(Self.mac(of: root, id, place, key)))).encoded
    }

    package func write(
        to identity: borrowing LockedIdentity, at place: PlaceName, key: borrowing SecureBytes, now: Timestamp
    ) throws {
        try identity.writeState(encoded(for: identity.records.owner.id, at: place, key: key, now: now), of: place)
    }

    /// The name of the place is part of it, so that no place's state can stand for that of another. That of `main`, the
    /// only place of earlier versions, is left out.
    private static func mac(
        of root: JSONValue, _ id: String, _ place: PlaceName, _ key: borrowing SecureBytes
    ) -> [UInt8] {
        let subject = place == .main ? id : id + "/" + place.text
        return BLAKE2b.authenticate((Array(subject.utf8) + [0] + root.sorted.encoded).span, key: key)
    }
}

extension PlaceState {
    /// The state of a place about which nothing is known.
    static var unknown: PlaceState { PlaceState(document: .none, backup: .none) }
}

extension Digest {
    /// Stands for a missing digest.
    static var none: Digest { Digest(number: 0) }
}

extension UploadState.Known {
    fileprivate init?(_ value: JSONValue) {
        func digest(_ value: JSONValue?) -> Digest? { value?.string.flatMap(Hex.decode).flatMap { Digest($0) } }
        func timestamp(_ name: String) -> Timestamp? { value[name]?.integer.map(Timestamp.init) }
        guard let target = value["target"]?.string.flatMap(Hex.decode) else { return nil }
        self.target = target
        state = .unknown
        state.last = digest(value["seen"])
        state.content = digest(value["content"])
        // The state of an earlier version has the two newest digests and no journal.
        let sent =
            value["journal"]?.array?.compactMap(digest) ?? [state.last, digest(value["sending"])].compactMap { $0 }
        state.journal = UploadJournal(sent: sent, pulled: digest(value["pulled"]))
        state.uploadedAt = timestamp("uploaded_at")
        state.seenAt = timestamp("seen_at")
        // The state of an earlier version has the wall clock only.
        state.knownAt =
            ObservedTimestamp("known", of: value)
            ?? [state.uploadedAt, state.seenAt].compactMap(\.self).max().map { ObservedTimestamp(sum: .zero, wall: $0) }
        state.pushedAt = ObservedTimestamp("pushed", of: value) ?? state.knownAt
        state.bytes = max(0, value["bytes"]?.integer ?? 0)
        state.notBefore = timestamp("not_before")
        state.lookUntil = timestamp("look_until")
        state.hasFailed = value["failed"]?.bool ?? true
        state.finding = value["finding"].map { $0.string.flatMap(Finding.init) ?? .unproven }
        state.retentionDays = value["retention_days"]?.integer ?? 0
        state.generation = min(max(0, value["generation"]?.integer ?? 0), SafeBackup.WriterInfo.generations.upperBound)
        state.contacts = max(0, value["contacts"]?.integer ?? 0)
        state.honoursConditions = value["honours_conditions"]?.bool
        state.isAbandoned = value["abandoned"]?.bool ?? false
        state.passwordProvenAt = timestamp("password_proven_at")
        state.mirror = value["mirror"].map(MirrorState.init)
    }

    fileprivate var value: JSONValue {
        func hex(_ digest: Digest) -> JSONValue { .string(Hex.encode(digest.bytes)) }
        func number(_ timestamp: Timestamp?) -> JSONValue? { timestamp.map { .number($0.milliseconds) } }
        var members: [(String, JSONValue?)] = [
            ("target", .string(Hex.encode(target))),
            ("content", state.content.map(hex)),
            ("seen", state.last.map(hex)),
            ("journal", .array(state.journal.sent.map(hex))),
            ("pulled", state.journal.pulled.map(hex)),
            ("uploaded_at", number(state.uploadedAt)),
            ("seen_at", number(state.seenAt)),
            ("not_before", number(state.notBefore)),
            ("look_until", number(state.lookUntil)),
            ("failed", .bool(state.hasFailed)),
            ("finding", state.finding.map { .string($0.rawValue) }),
            ("retention_days", .number(state.retentionDays)),
            ("generation", .number(state.generation)),
            ("contacts", .number(state.contacts)),
            ("honours_conditions", state.honoursConditions.map { .bool($0) }),
            ("abandoned", state.isAbandoned ? .bool(true) : nil),
            ("password_proven_at", number(state.passwordProvenAt)),
            ("mirror", state.mirror?.value),
            ("bytes", state.bytes > 0 ? .number(state.bytes) : nil),
        ]
        members += state.knownAt?.members("known") ?? []
        members += state.pushedAt?.members("pushed") ?? []
        return .object(members.compactMap { name, value in value.map { JSONValue.Member(name, $0) } })
    }
}

/// The keyed digests by which a state recognises a target and a content.
struct TargetDigests {
    /// Keyed digest of place and backup id.
    let target: [UInt8]
    /// Keyed digest of place, backup id and profile: the document with the device group key, without private key and
    /// writer info.
    let content: Digest
    /// The `writer` of this keystore's writer info: 16 bytes of a keyed digest of place and backup id.
    let writer: [UInt8]

    init(_ target: borrowing SafeTarget, _ profile: borrowing Profile, key: borrowing SecureBytes) {
        self.init(target, content: profile.revealContent(), key: key)
    }

    /// - Parameter content: the JSON from `Profile.revealContent`.
    init(_ target: borrowing SafeTarget, content: borrowing SecureBytes, key: borrowing SecureBytes) {
        self.target = Self.place(of: target, key: key)
        self.content = Self.content(content, at: target, key: key)
        let writerDigest = BLAKE2b.authenticate((Array("writer".utf8) + [0] + Self.name(target)).span, key: key)
        writer = Array(writerDigest.prefix(SafeBackup.WriterInfo.writerCount))
    }

    /// The digest `target`.
    static func place(of target: borrowing SafeTarget, key: borrowing SecureBytes) -> [UInt8] {
        BLAKE2b.authenticate(name(target).span, key: key)
    }

    /// The digest `content`.
    static func content(
        _ content: borrowing SecureBytes, at target: borrowing SafeTarget, key: borrowing SecureBytes
    ) -> Digest {
        let name = name(target)
        return Digest(content.withBytes { BLAKE2b.authenticate($0, after: name.span, key: key) }) ?? .none
    }

    private static func name(_ target: borrowing SafeTarget) -> [UInt8] {
        target.placeName + [0] + Array(target.keys.backupID.hex.utf8)
    }
}
