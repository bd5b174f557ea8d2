import Encodings
import Keystore
import Ratchet
import SecureMemory
import SessionStore
import SophaxChat
import SophaxGroups
import SophaxStorage
import Testing

@testable import MessengerKeeping

/// A program on the libraries stores a group; keytool begins another chain of it.
@Suite struct SophaxGroupsTests {
    private static let kind = ValueKind(stringLiteral: GroupRecord.kind)
    private let scratch: Scratch
    private let now = Timestamp(milliseconds: 1_767_225_600_000)
    private let id: PeerID
    private let others: [PeerID]
    private var keeper: SophaxKeeper { SophaxKeeper(scratch.keystore) }

    /// The keystore of one of four members, which has given the others its chain, and sent.
    init() throws {
        scratch = try Scratch()
        let own = SophaxIdentity()
        id = own.peerID
        let ids = (1...3).map { PeerID(String(repeating: "\($0)", count: 32)) }.compactMap(\.self)
        others = ids
        var group = try SophaxGroup("G", own: id, members: [own.peerID] + ids)
        for other in ids { _ = try group.distribution(for: other, at: now) }
        _ = try group.seal([1], id: "m", at: now)
        let account = try SophaxAccount(identity: own, username: "alice")
        _ = try SophaxKeeper(scratch.keystore).store(account, isOnly: false, at: now)
        try store("G", GroupRecord(group).encoded().copied)
    }

    /// Opens the store as a program on the libraries does, with public types only.
    private func withStore<Result: ~Copyable>(_ body: (OpenSessionStore) throws -> Result) throws -> Result {
        let owner = try #require(Owner(messenger: "sophaxchat", id: id.description))
        let identity = try scratch.keystore.lockedIdentity(owner, wait: .zero)
        let key = scratch.keystore.digestKey("sessions")
        let store = try identity.withDirectory { directory in
            try OpenSessionStore(in: directory, messenger: owner.messenger, id: owner.id, key: key)
        }
        defer { store.close() }
        return try body(store)
    }

    private func store(_ name: String, _ value: [UInt8]) throws {
        try withStore { store in
            try store.transaction { try $0.set(Self.kind, GroupRecord.name(of: name), value.span) }
        }
    }

    private func stored(_ name: String = "G") throws -> [UInt8] {
        try withStore { try $0.read(Self.kind, GroupRecord.name(of: name))!.copied }
    }

    private func rekey(_ members: [PeerID], group: String = "G") throws -> SophaxKeeper.RekeyedGroup {
        var rekeyed: SophaxKeeper.RekeyedGroup?
        try keeper.rekey(group, of: id, members: members, at: now) { rekeyed = $0 }
        return try #require(rekeyed)
    }

    @Test func `the store has the chain that is returned, and nothing of the former one`() throws {
        #expect(GroupRecord.maxCount <= OpenSessionStore.maxValueBytes)
        let former = try stored()
        let rekeyed = try rekey([others[0], others[2]])
        #expect(rekeyed.rekeying.removed == [others[1]] && rekeyed.rekeying.generation == 1)
        #expect(rekeyed.rekeying.parts.map(\.member) == [others[0], others[2]])
        #expect(
            rekeyed.deliveries == [.noSession, .noSession] && rekeyed.form == .mixed(without: [others[0], others[2]]))
        let now = try stored()
        let message = try Self.seal(now, by: id, at: self.now)
        let members = [id, others[0], others[2]]
        for part in rekeyed.rekeying.parts {
            #expect(try Self.opens(message, from: id, part, members, at: self.now))
        }
        // The former chain key: it stands in the record of the chains, behind its ID.
        let key = try formerKey(former)
        #expect(!now.indices.dropLast(32).contains { Array(now[$0..<$0 + 32]) == key })
    }

    /// A message that the owner of a stored group seals.
    private static func seal(_ value: [UInt8], by own: PeerID, at now: Timestamp) throws -> GroupPayload {
        var record = try GroupRecord(decoding: value.span, of: own)
        return try record.group.seal([2], id: "m", at: now)
    }

    /// Whether a member opens it with what it was given.
    private static func opens(
        _ message: GroupPayload, from sender: PeerID, _ part: GroupRekeying.Part, _ members: [PeerID], at now: Timestamp
    ) throws -> Bool {
        var member = try SophaxGroup("G", own: part.member, members: members)
        _ = try member.accept(part.distribution, from: sender, at: now)
        let opened = try member.open(message, from: sender, at: now)
        return opened.body == [2]
    }

    /// The 32 bytes behind the own chain's ID in a record.
    private func formerKey(_ bytes: [UInt8]) throws -> [UInt8] {
        let record = try GroupRecord(decoding: bytes.span, of: id)
        let own = record.group.session.ownChain
        let chain = try #require(own).chain.bytes
        let place = bytes.indices.dropLast(48).first { Array(bytes[$0..<$0 + 16]) == chain }
        let end = try #require(place) + 16
        return Array(bytes[end..<end + 32])
    }

    @Test func `each time it is another chain`() throws {
        let chains = try (1...3).map { number in
            let rekeyed = try rekey(others)
            #expect(rekeyed.rekeying.generation == UInt32(number))
            return rekeyed.rekeying.parts[0].distribution.chain.chain
        }
        #expect(Set(chains).count == 3)
    }

    @Test func `names of members`() throws {
        #expect(try rekey([others[0].short, id, others[1]]).rekeying.parts.map(\.member) == [others[0], others[1]])
        #expect(try rekey([id.short, others[0]]).rekeying.added.isEmpty)
        let other = try #require(PeerID(String(repeating: "a", count: 32)))
        let before = try stored()
        for (members, problem) in [
            ([other.short], .short(other.short)), ([others[0], others[0].short], .twice(others[0].short)),
            ([other, other], .twice(other)), ([], .nobody), ([id], .nobody),
        ] as [([PeerID], SophaxKeepingError.MemberProblem)] {
            #expect(throws: SophaxKeepingError.members(problem)) { _ = try rekey(members) }
        }
        let many = try (100..<200).map { try #require(PeerID(String(repeating: "b", count: 29) + "\($0)")) }
        #expect(throws: SophaxKeepingError.members(.tooMany(limit: 100))) { _ = try rekey(many) }
        #expect(try stored() == before)
        #expect(try rekey(many.dropLast()).rekeying.added.count == 99)
    }

    @Test func `a member that is stored by 16 digits is named by all`() throws {
        let long = try #require(PeerID(String(repeating: "c", count: 32)))
        let group = try SophaxGroup("short", own: id, members: [id, long.short])
        try store("short", GroupRecord(group).encoded().copied)
        let rekeyed = try rekey([long], group: "short").rekeying
        #expect(rekeyed.parts.map(\.member) == [long.short] && rekeyed.added.isEmpty && rekeyed.removed.isEmpty)
    }

    @Test func `groups that are not there, or damaged, and a store that is not there`() throws {
        for name in ["g", "", String(repeating: "n", count: 256)] {
            #expect(throws: SophaxKeepingError.noGroup(name)) { _ = try rekey(others, group: name) }
        }
        let value = try stored()
        // That of another group, and what is no record.
        for (name, bytes) in [("H", value), ("J", Array(value.dropLast())), ("K", [])] {
            try store(name, bytes)
            #expect(throws: SophaxKeepingError.damagedGroup(name)) { _ = try rekey(others, group: name) }
            #expect(try stored(name) == bytes)
        }
        try store("L", [9] + value.dropFirst())
        #expect(throws: SophaxKeepingError.laterGroup("L", form: 9)) { _ = try rekey(others, group: "L") }
        let stranger = SophaxIdentity()
        let strange = stranger.peerID
        _ = try keeper.store(SophaxAccount(identity: stranger, username: "eve"), isOnly: false, at: now)
        #expect(throws: SophaxKeepingError.noGroup("G")) {
            try keeper.rekey("G", of: strange, members: others, at: now) { _ in }
        }
    }

    @Test func `sessions with members`() throws {
        let account = try keeper.account(id)
        var records: [PeerRecord] = []
        for _ in 0..<6 { records.append(try PeerRecord.begun(by: account.identity, at: now)) }
        records[1].endSessions()
        let ids = records.map(\.peer.peerID)
        try withStore { store in
            try store.transaction { changes in
                let kind = ValueKind(stringLiteral: PeerRecord.kind)
                for record in records {
                    try record.encoded().withBytes {
                        try changes.set(kind, PeerRecord.name(of: record.peer.peerID), $0)
                    }
                }
                try changes.set(kind, PeerRecord.name(of: ids[2]), [1].span)
                try changes.set(kind, PeerRecord.name(of: ids[3]), [9].span)
                // Another peer whose name begins like that of the last one.
                let alike = try #require(PeerID(ids[5].short.description + String(repeating: "0", count: 16)))
                try changes.set(kind, PeerRecord.name(of: alike), [1].span)
            }
        }
        let expected: [SophaxKeeper.Delivery] = [.possible, .noSession, .damagedSession, .laterSession]
        let stranger = try #require(PeerID(String(repeating: "e", count: 32)))
        for isShort in [false, true] {
            let members = (ids.prefix(4) + [stranger]).map { isShort ? $0.short : $0 }
            let group = try SophaxGroup("\(isShort)", own: id, members: [id] + members)
            try store("\(isShort)", GroupRecord(group).encoded().copied)
            #expect(try deliveries(to: members, "\(isShort)") == expected + [.noSession])
        }
        let group = try SophaxGroup("alike", own: id, members: [id, ids[4].short, ids[5].short])
        try store("alike", GroupRecord(group).encoded().copied)
        #expect(try deliveries(to: [ids[4], ids[5]].map(\.short), "alike") == [.possible, .noSession])
    }

    /// In the order of the members.
    private func deliveries(to members: [PeerID], _ group: String) throws -> [SophaxKeeper.Delivery] {
        let rekeyed = try rekey(members, group: group)
        let found = Dictionary(uniqueKeysWithValues: zip(rekeyed.rekeying.parts.map(\.member), rekeyed.deliveries))
        return members.compactMap { found[$0] }
    }

    /// An archive carries a group as bytes; what is imported is a copy.
    @Test func `the copy of a group is refused until its program has ended the chain`() throws {
        let before = try stored()
        let owner = Owner.sophaxChat(id)
        let exported = try #require(try scratch.keeper.recordsAndSessions(of: owner, .usual))
        let other = try Scratch()
        try other.keystore.add(owner) { new in
            try exported.records.read("identity")!.withBytes { try new.write("identity", $0) }
        }
        try other.keystore.lockedIdentity(owner, wait: .zero).createSessions(holding: exported.sessions, other.keystore)
        let copy = SophaxKeeper(other.keystore)
        let error = #expect(throws: SessionStoreError.self) {
            try copy.rekey("G", of: id, members: others, at: now) { _ in }
        }
        guard case .copied? = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(try stored() == before)
    }
}
