internal import Encodings
internal import SecureMemory
internal import Threema
internal import ThreemaSafe

// contacts.csv
//
//   column         meaning                                    member of a Safe document
//   identity       ID                                         identity
//   publickey      64 hexadecimal characters                  publickey
//   verification   UNVERIFIED, SERVER_VERIFIED,               verification: 0, 1, 2
//                  FULLY_VERIFIED; other text: unverified
//   firstname      names that the user or the address         firstname
//   lastname       book has given                             lastname
//   nick_name      name that the contact has chosen           nickname
//   last_update    time; since version 22                     lastUpdate
//   hidden         bool; since version 13                     hidden
//
// The others are not carried over: links to the address book, colours, archived conversations.

enum ContactTable {
    /// - Parameters:
    ///   - own: the ID of the backup; a row of it, which old files may have, is skipped.
    ///   - note: as of `Table.read`.
    static func read(
        _ text: Span<UInt8>, own: ThreemaID, _ faults: inout TableFaults, into list: inout DocumentList,
        _ note: (Int) -> Void
    ) throws(DataBackupError) {
        var seen: Set<ThreemaID> = []
        try Table.read(
            text, of: DataBackup.contactsName, needed: ["identity", "publickey", "verification"], &faults, note
        ) { (row) throws(Table.RowFailure) in
            guard let id = try? ThreemaID(row.text("identity") ?? "") else { throw .row(.id) }
            if id == own { return }
            guard let key = Hex.decode(row.text("publickey") ?? "").flatMap({ PublicKey($0) }) else {
                throw .row(.publicKey)
            }
            guard !seen.contains(id) else { throw .row(.duplicate) }
            let lastUpdate = try row.time("last_update")
            let level = Self.level(row.text("verification") ?? "")
            try list.add([
                "identity": .string(id.text), "verification": .number(level.stored),
                "publickey": .string(Base64.encode(key.bytes.span)), "createdAt": 0, "workVerified": false,
                "hidden": .bool(row.flag("hidden")), "private": false,
                "firstname": .string(row.text("firstname") ?? ""), "lastname": .string(row.text("lastname") ?? ""),
                "nickname": .string(row.text("nick_name") ?? ""), "lastUpdate": lastUpdate.map { .number($0) },
                "readReceipts": 0, "typingIndicators": 0,
            ])
            seen.insert(id)
        }
    }

    private static func level(_ text: String) -> VerificationLevel {
        switch text {
        case "FULLY_VERIFIED": .fullyVerified
        case "SERVER_VERIFIED": .serverVerified
        default: .unverified
        }
    }
}
