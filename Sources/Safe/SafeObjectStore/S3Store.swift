package import Encodings
internal import HTTP
package import SafeStore
package import SafeWire

/// Backups as objects of an S3 server, whose engine replicates and expires them:
///
///     PREFIX-ab/<64 hex>           the backup whose id begins with ab; an empty object if it was deleted
///     PREFIX-ab/ACCOUNT/<64 hex>   the same for an account; ab is the first byte of the SHA-256 of its name
///
/// Two headers are for OpenStack Swift; other servers ignore them. `X-Delete-After` gives each object a term, which
/// each PUT begins again. Other servers need a lifecycle rule of the same number of days. `X-Newest` makes a read ask
/// all replicas, so that one that was away does not answer with an old backup.
///
/// A deletion stores an empty object with the full term, because a replica that was away for longer than the server
/// remembers its own deletions would bring the backup back.
///
/// Conditions of writes are tested under a lock of this process: several servers on the same buckets can both find that
/// a condition holds, and the later write stays. Only a backup where no object is goes with `If-None-Match: *`, if the
/// server honours that (`S3Connection.tryConditions`): then of two first uploads, one is the first. Each backup is whole
/// in any case.
package struct S3Store: BackupStore {
    private let connection: S3Connection
    private let account: AccountName?
    private let readLimit: Int
    /// How long an object stays after its PUT, in seconds.
    private let termSeconds: Int64
    private let authorize: WriteCheck
    /// nil for a store without an account, which has no quota.
    private let recentWrites: RecentWrites?

    private static let newest = ["x-newest": "true"]

    /// - Parameters:
    ///   - connection: shared by the stores of all accounts.
    ///   - limits: the longest backup that is read, and the retention, to which `Sweep.grace` is added.
    ///   - account: the owner of these backups; nil for no accounts.
    ///   - authorize: throws if writes are not allowed any more; called before each write.
    package init(
        on connection: S3Connection, limits: ServerLimits, account: AccountName? = nil,
        authorize: @escaping WriteCheck = {}
    ) {
        self.connection = connection
        self.account = account
        recentWrites = account.map(connection.recentWrites)
        self.authorize = authorize
        readLimit = limits.maxReadBytes
        termSeconds = (Duration.days(limits.retentionDays) + Sweep.grace).components.seconds
    }

    /// A stored backup with its entity tag.
    /// - Returns: nil if there is none, or if it was deleted.
    /// - Throws: `.failed` also if the bucket is missing.
    package func get(_ id: BackupID) throws(StoreError) -> StoredBackup? {
        guard let bytes = try object(id), !bytes.isEmpty else { return nil }
        return StoredBackup(bytes: bytes, tag: EntityTag.of(bytes))
    }

    /// - Returns: nil if there is no object; an empty one is a deleted backup.
    /// - Throws: `.unavailable` also if nothing shows that the answer is whole.
    private func object(_ id: BackupID) throws(StoreError) -> [UInt8]? {
        let answer = try connection.send(
            .get, path(of: id), headers: Self.newest, limit: readLimit)
        if answer.status == 404, answer.errorCode == "NoSuchKey" { return nil }
        guard answer.status == 200 else { throw StoreError(answer) }
        guard answer.isWhole else { throw .unavailable }
        return answer.body
    }

    /// Stores a backup. Its retention counts from the server's time.
    /// - Parameter backup: not empty.
    package func put(
        _ backup: [UInt8], at id: BackupID, if conditions: Preconditions, now: Timestamp
    ) throws(StoreError) -> PutResult {
        guard !backup.isEmpty else { throw .failed(reason: "an empty object is a deleted backup") }
        return try connection.locks.holding(id) { () throws(StoreError) in
            var present = try present(id, isTagged: conditions != .none)
            while true {
                guard conditions == .none || conditions.hold(for: present.tag) else { return .conditionFailed }
                let isFirst = present == .missing && connection.honoursConditions
                if try write(backup, at: id, isFirst: isFirst) {
                    let tag = EntityTag.of(backup)
                    return if case .backup = present { .replaced(tag: tag) } else { .created(tag: tag) }
                }
                // Another server has stored one meanwhile.
                present = try self.present(id, isTagged: conditions != .none)
                guard present != .missing else { throw .unavailable }
            }
        }
    }

    /// What is in the place of a backup.
    private enum Present: Equatable {
        case missing
        /// An empty object.
        case deleted
        case backup(tag: String?)

        var tag: String? { if case .backup(let tag) = self { tag } else { nil } }
    }

    /// - Parameter isTagged: whether the tag is needed.
    private func present(_ id: BackupID, isTagged: Bool) throws(StoreError) -> Present {
        if isTagged {
            guard let bytes = try object(id) else { return .missing }
            return bytes.isEmpty ? .deleted : .backup(tag: EntityTag.of(bytes))
        }
        guard let count = try objectLength(of: id) else { return .missing }
        return count == 0 ? .deleted : .backup(tag: nil)
    }

    /// Replaces a backup by an empty object.
    package func delete(
        _ id: BackupID, if conditions: Preconditions, now: Timestamp
    ) throws(StoreError) -> DeleteResult {
        try connection.locks.holding(id) { () throws(StoreError) in
            guard let present = try get(id) else { return .missing }
            guard conditions.hold(for: present.tag) else { return .conditionFailed }
            _ = try write([], at: id, isFirst: false)
            return .deleted
        }
    }

    /// Does nothing: the server expires its objects by itself.
    /// - Returns: `SweepReport.leftToStore`.
    package func expire(_ sweep: Sweep) -> SweepReport { .leftToStore }

    /// Empty: this store retains no previous backups.
    package func versions(of id: BackupID) -> [BackupVersion] { [] }

    private func path(of id: BackupID) -> String {
        let address = connection.address
        guard let account else { return "/\(address.bucket(of: id))/\(id.hex)" }
        return "/\(address.bucket(of: account))/\(account.text)/\(id.hex)"
    }

    /// - Parameter isFirst: whether to write only if there is no object.
    /// - Returns: false if there is one.
    private func write(_ bytes: [UInt8], at id: BackupID, isFirst: Bool) throws(StoreError) -> Bool {
        try authorize()
        recentWrites?.note(id, at: connection.clock())
        var headers = ["x-delete-after": String(termSeconds)]
        if isFirst { headers.merge(S3Connection.onlyFirst) { $1 } }
        let answer = try connection.send(
            .put, path(of: id), headers: headers, body: bytes, limit: S3Connection.maxErrorBytes)
        if isFirst, answer.isOfCondition { return false }
        guard answer.isSuccess else { throw StoreError(answer) }
        return true
    }
}

extension S3Store: MeasuredStore {
    /// The length of a stored backup in bytes; 0 if there is none, or if it was deleted. All replicas are asked. A
    /// missing bucket counts as 0: a HEAD has no error code, and a PUT that follows tells.
    package func length(of id: BackupID) throws(StoreError) -> Int { try objectLength(of: id) ?? 0 }

    /// - Returns: nil if there is no object, or no bucket.
    private func objectLength(of id: BackupID) throws(StoreError) -> Int? {
        let answer = try connection.send(
            .head, path(of: id), headers: Self.newest, limit: S3Connection.maxErrorBytes)
        if answer.status == 404 { return nil }
        guard answer.status == 200 else { throw StoreError(answer) }
        guard let count = answer.headers["content-length"].flatMap({ Int($0) }),
            (0...S3ListPage.maxObjectBytes).contains(count)
        else { throw .failed(reason: "the object store does not tell a length") }
        return count
    }

    /// The lengths of all other backups of the account together, in bytes: by the list of its bucket, except for those
    /// that this process has written in the last minutes, each of which is asked for.
    ///
    /// A list may be late, so the result may lack what other processes have just written.
    /// - Returns: `Int.max` if the list has more than `S3Connection.maxListPages` pages: 10,000 objects, if the server
    ///   fills its pages. The empty objects of deleted backups count, and so do objects with other names.
    /// - Throws: `.failed` also for a store without an account, whose backups are in all buckets.
    package func lengthOfOthers(than id: BackupID) throws(StoreError) -> Int {
        guard let account, let recentWrites else {
            throw .failed(reason: "only the backups of an account can be counted")
        }
        let recent = recentWrites.ids(at: connection.clock()).subtracting([id])
        guard var total = try connection.listedLength(of: account, except: recent.union([id])) else { return .max }
        for other in recent { total += try length(of: other) }
        return total
    }
}
