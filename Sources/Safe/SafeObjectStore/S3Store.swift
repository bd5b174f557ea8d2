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
/// a condition holds, and the later write stays. Each backup is whole in any case.
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
        let answer = try connection.send(
            .get, path(of: id), headers: Self.newest, limit: readLimit)
        if answer.status == 404, answer.errorCode == "NoSuchKey" { return nil }
        guard answer.status == 200 else { throw StoreError(answer) }
        guard !answer.body.isEmpty else { return nil }
        return StoredBackup(bytes: answer.body, tag: EntityTag.of(answer.body))
    }

    /// Stores a backup. Its retention counts from the server's time.
    /// - Parameter backup: not empty.
    package func put(
        _ backup: [UInt8], at id: BackupID, if conditions: Preconditions, now: Timestamp
    ) throws(StoreError) -> PutResult {
        guard !backup.isEmpty else { throw .failed(reason: "an empty object is a deleted backup") }
        return try connection.locks.holding(id) { () throws(StoreError) in
            let exists: Bool
            if conditions == .none {
                exists = try length(of: id) > 0
            } else {
                let tag = try get(id)?.tag
                guard conditions.hold(for: tag) else { return .conditionFailed }
                exists = tag != nil
            }
            try write(backup, at: id)
            let tag = EntityTag.of(backup)
            return exists ? .replaced(tag: tag) : .created(tag: tag)
        }
    }

    /// Replaces a backup by an empty object.
    package func delete(
        _ id: BackupID, if conditions: Preconditions, now: Timestamp
    ) throws(StoreError) -> DeleteResult {
        try connection.locks.holding(id) { () throws(StoreError) in
            guard let present = try get(id) else { return .missing }
            guard conditions.hold(for: present.tag) else { return .conditionFailed }
            try write([], at: id)
            return .deleted
        }
    }

    /// Does nothing: the server expires its objects by itself.
    /// - Returns: `SweepReport.leftToStore`.
    package func expire(_ sweep: Sweep) -> SweepReport { .leftToStore }

    /// Empty: this store retains no previous backups.
    package func versions(of id: BackupID) -> [BackupVersion] { [] }

    /// Does nothing.
    /// - Returns: false.
    package func restore(_ id: BackupID, from time: Timestamp, now: Timestamp) -> Bool { false }

    private func path(of id: BackupID) -> String {
        let address = connection.address
        guard let account else { return "/\(address.bucket(of: id))/\(id.hex)" }
        return "/\(address.bucket(of: account))/\(account.text)/\(id.hex)"
    }

    private func write(_ bytes: [UInt8], at id: BackupID) throws(StoreError) {
        try authorize()
        recentWrites?.note(id, at: connection.clock())
        let answer = try connection.send(
            .put, path(of: id), headers: ["x-delete-after": String(termSeconds)], body: bytes,
            limit: S3Connection.maxErrorBytes)
        guard answer.isSuccess else { throw StoreError(answer) }
    }
}

extension S3Store: MeasuredStore {
    /// The length of a stored backup in bytes; 0 if there is none, or if it was deleted. All replicas are asked. A
    /// missing bucket counts as 0: a HEAD has no error code, and a PUT that follows tells.
    package func length(of id: BackupID) throws(StoreError) -> Int {
        let answer = try connection.send(
            .head, path(of: id), headers: Self.newest, limit: S3Connection.maxErrorBytes)
        if answer.status == 404 { return 0 }
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
