internal import Encodings
internal import Threema

// groups.csv
//
//   column       meaning                                          member of a Safe document
//   id           16 hexadecimal characters, as in messages        id
//   creator      ID                                               creator
//   groupname    name; may be empty                               groupname, unless empty
//   created_at   time; may be empty                               createdAt
//   last_update  time; since version 22                           lastUpdate
//   members      IDs; the own one while the user is a member      members
//   user_state   0 member, 1 removed, 2 left; since version 25    the own ID is in members only for 0
//   deleted      1: the group was deleted; versions 4 to 26       such a row is skipped
//
// distribution_list.csv
//
//   id                      decimal, 1 to 2^63 - 1                 id: 8 bytes, little-endian, as hexadecimal text
//   distribution_list_name  name                                   name
//   created_at, last_update, distribution_members                  as above

enum GroupTable {
    /// - Parameter own: the ID of the backup.
    static func read(
        _ text: Span<UInt8>, own: ThreemaID, _ faults: inout TableFaults, into list: inout DocumentList,
        _ note: (Int) -> Void
    ) throws(DataBackupError) {
        var seen: Set<String> = []
        try Table.read(
            text, of: DataBackup.groupsName, needed: ["id", "creator", "members"], &faults, note
        ) { (row) throws(Table.RowFailure) in
            if row.flag("deleted") { return }
            guard let bytes = Hex.decode(row.text("id") ?? ""), bytes.count == 8 else { throw .row(.groupID) }
            guard let creator = try? ThreemaID(row.text("creator") ?? "") else { throw .row(.id) }
            let id = Hex.encode(bytes)
            guard !seen.contains(id + creator.text) else { throw .row(.duplicate) }
            var (members, invalid) = row.ids("members")
            switch row.text("user_state") {
            case "0": if !members.contains(own) { members.append(own) }
            case "1", "2": members.removeAll { $0 == own }
            default: break
            }
            let times = try row.times()
            try list.add([
                "id": .string(id), "creator": .string(creator.text),
                "groupname": row.text("groupname").flatMap { $0.isEmpty ? nil : .string($0) },
                "createdAt": .number(times.created), "lastUpdate": times.updated.map { .number($0) },
                "members": .array(members.map { .string($0.text) }), "deleted": false, "private": false,
            ])
            seen.insert(id + creator.text)
            if invalid > 0 { throw .row(.members(invalid)) }
        }
    }
}

enum DistributionListTable {
    static func read(
        _ text: Span<UInt8>, _ faults: inout TableFaults, into list: inout DocumentList, _ note: (Int) -> Void
    ) throws(DataBackupError) {
        var seen: Set<Int64> = []
        try Table.read(
            text, of: DataBackup.listsName, needed: ["id", "distribution_list_name", "distribution_members"], &faults,
            note
        ) { (row) throws(Table.RowFailure) in
            guard let id = Int64(row.text("id") ?? ""), id > 0 else { throw .row(.listID) }
            guard !seen.contains(id) else { throw .row(.duplicate) }
            let bytes = (0..<8).map { UInt8(truncatingIfNeeded: id >> (8 * $0)) }
            let (members, invalid) = row.ids("distribution_members")
            let times = try row.times()
            try list.add([
                "id": .string(Hex.encode(bytes)), "name": .string(row.text("distribution_list_name") ?? ""),
                "createdAt": .number(times.created), "lastUpdate": times.updated.map { .number($0) },
                "members": .array(members.map { .string($0.text) }), "private": false,
            ])
            seen.insert(id)
            if invalid > 0 { throw .row(.members(invalid)) }
        }
    }
}

extension Table.Row {
    /// When a group or list was created (0 if unknown) and last used.
    fileprivate func times() throws(Table.RowFailure) -> (created: Int64, updated: Int64?) {
        (try time("created_at") ?? 0, try time("last_update"))
    }
}
