internal import Encodings
internal import SessionStore
internal import Threema
internal import ThreemaMessages

// What a message means for its group. GroupRules decide; everybody whom the decision concerns is looked for before the
// transaction of the message, which carries it out.

/// What is to be done about a message of a group, in the transaction that stores it.
struct GroupJudgement {
    let decisions: [GroupDecision]
    /// Whom the decisions concern and who are no contacts yet.
    let strangers: [Contact]

    /// Why the message has no effect; nil if it has one.
    var refusal: GroupDiscard? {
        for case .discard(let reason) in decisions { return reason }
        return nil
    }
}

extension Mailbox {
    /// Decides about a message of a group.
    /// - Parameter find: looks for members and creators that are no contacts yet.
    /// - Returns: nil for a message that is none of a group.
    func judge(_ result: IncomingResult, _ find: (ThreemaID) throws -> Contact?) throws -> GroupJudgement? {
        guard case .deliver(let message) = result.decision, let identity = message.group else { return nil }
        let rules = GroupRules(own: own.id)
        // A search may fail after many others for the same message. The next try goes on there, or it would never end.
        func meet(_ id: ThreemaID) throws -> Contact? {
            if let known = met[id] { return known }
            let found = try find(id)
            met[id] = .some(found)
            return found
        }
        let members: [ThreemaID] = if case .groupSetup(_, let ids) = message.body { ids } else { [] }
        var strangers: [Contact] = []
        let contacts = Set(try members.filter(isContact))
        var invalid: Set<ThreemaID> = []
        for id in rules.unknownMembers(in: message, contacts: contacts) {
            if let found = try meet(id) { strangers.append(found) } else { invalid.insert(id) }
        }
        let time = now()
        // A message without a nonce is not stored, nor what it asks for: it could do so without end.
        let mayAsk = result.nonceDigest != nil && syncRequests.isPermitted(for: message.sender, at: time)
        let decisions = rules.receive(
            message,
            GroupRules.Knowledge(
                group: try group(identity), lastSyncRequest: mayAsk ? try self.time("groupsync", identity.bytes) : time,
                contacts: contacts, invalid: invalid, now: time))
        for case .send(let sending) in decisions {
            for id in sending.receivers where try !isContact(id) && id != message.sender {
                if let found = try meet(id) { strangers.append(found) }
            }
        }
        met = [:]
        return GroupJudgement(decisions: decisions, strangers: strangers)
    }

    /// Removes the times of requests that permit another one, and malformed ones, which each message of the group would
    /// throw.
    func forgetSyncRequests() throws {
        let time = now()
        try remove("groupsync") { _, value in GroupSync.isDue(last: Timestamp(decoding: value), now: time) }
    }

    /// Carries the decisions out, but for what the program does: show a message.
    func carryOut(
        _ judgement: GroupJudgement, of message: Message, in changes: borrowing Transaction
    ) throws {
        for contact in judgement.strangers { try add(contact, in: changes) }
        for decision in judgement.decisions {
            switch decision {
            case .store(let group):
                try store(group, in: changes)
                if group.picture == nil { try want(nil, named: group.identity.bytes, in: changes) }
            case .send(let sending): try send([sending], in: changes)
            case .noteSyncRequest(let identity):
                syncRequests.note(for: message.sender)
                try set(now(), "groupsync", identity.bytes, in: changes)
            case .fetchPicture(let picture):
                if let group = message.group { try want(picture, named: group.bytes, in: changes) }
            case .renewPicture(let renewal): try note(renewal, in: changes)
            case .addContacts, .show, .showCall, .discard: break
            }
        }
    }
}

/// How many creators were asked for a group because of one sender, who names groups and creators as it likes.
struct SyncRequests {
    /// Most requests because of one sender in an hour.
    static let most = 16

    private var begin: Timestamp?
    private var counts: [ThreemaID: Int] = [:]

    mutating func isPermitted(for sender: ThreemaID, at now: Timestamp) -> Bool {
        if GroupSync.isDue(last: begin, now: now) { (begin, counts) = (now, [:]) }
        return counts[sender, default: 0] < Self.most
    }

    mutating func note(for sender: ThreemaID) { counts[sender, default: 0] += 1 }
}
