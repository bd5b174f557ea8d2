internal import Encodings
internal import Primitives
internal import Ratchet
public import SophaxChat
public import SecureMemory

// The value of a group in a session store, of the kind `group` and with the group's name as its name. Numbers are big
// endian.
//
//   offset  length  meaning
//        0       1  the form: 1, or 2 with what is marked so
//        1       …  the group's name: length (1), UTF-8
//        …       2  number of peers that have proved version 3, at most 1000
//        …       …  for each, in ascending order: length of its peerID (1), its digits, 1 if it has given a chain of
//                   version 3 or 2 if it has also sealed a message of it (1)
//        …       4  length n of the chains
//        …       n  the chains: the record of `GroupSession`
//        …       1  0 if this side has never begun a chain, 2 if the last one has sealed the old form, else 1
//        …       …  if it has: ID of the last one (16), its transcript, which has no gap
//        …       …  for each member with chains that has proved version 3, in ascending order: the transcript of its
//                   newest one, which is the only one that may be open
//
// The chains of a member that has not proved version 3 have no names: their IDs and generations are this side's. Those of
// one that has proved it may still have skipped keys.
//
// A transcript:
//
//        0       4  number of the first message that was not received; of the own chain, number of the next one
//        4       1  1 a fork was seen; form 2: 2 a member claims to have seen another one
//        5       2  number of hashes, 1 to 1000
//        7      32  for each: the transcript before a message; the last one is that before the number above
//        …       2  number of messages behind a gap, at most 1000
//        …      68  for each, in ascending order: number (4), transcript before it (32), transcript after it (32)
//        …       …  if a member claims so: length of its peerID (1), its digits
//
// Form 2 has something that form 1 lacks.

/// What a program stores of a group: its chains, its transcripts, and who has proved version 3.
///
/// It is one value of a session store, so that a step of the group is stored in one transaction. `keytool-lab sophaxchat
/// rekey-group` replaces the own chain in it.
@frozen
public struct GroupRecord: ~Copyable, Sendable {
    /// The kind of the value in a session store.
    public static let kind: StaticString = "group"
    /// Longest record in bytes. It fits a value of a session store.
    public static let maxCount =
        1 + 1 + GroupPlace.maxGroup + 2 + ProvedForms.max * (2 + PeerID.counts[0]) + 4
        + GroupSession.maxRecordCount(.sophaxChat) + 1 + ChainID.count
        + GroupLimits.sophaxChat.maxMembers * transcriptHeadCount + SHA256.count * TranscriptView.remembered
        + SophaxGroup.maxTranscriptBytes

    private static let forms: ClosedRange<UInt8> = 1...2
    /// Without hashes, and with the name of a member.
    private static let transcriptHeadCount = 9 + 1 + PeerID.counts[0]

    /// The group to store, or the one that was read.
    public var group: SophaxGroup

    /// Takes over a group, to encode it for a store.
    public init(_ group: consuming SophaxGroup) { self.group = group }

    /// The name of the value.
    /// - Parameter group: 1 to 255 bytes of UTF-8.
    public static func name(of group: String) -> [UInt8] { Array(group.utf8) }

    // MARK: The record

    /// The value to store, with all chain keys.
    public borrowing func encoded() -> SecureBytes {
        var head = [Self.form(of: group.views)]
        head.appendShort(Array(group.name.utf8))
        head.append(group.proofs)
        let chains = group.session.encoded()
        head.appendNumber(UInt32(chains.count))
        var tail: [UInt8] = [group.sent == nil ? 0 : group.speaksOld ? 2 : 1]
        if let sent = group.sent {
            tail += sent.chain.bytes
            tail.append(sent)
        }
        for member in group.views.keys.sorted() { tail.append(group.views[member]!) }
        var buffer = SecureBuffer(capacity: head.count + chains.count + tail.count)
        buffer.append(head.span)
        buffer.append(chains)
        buffer.append(tail.span)
        return buffer.finish()
    }

    /// Reads a stored value.
    /// - Parameter own: the identity in whose store it is.
    /// - Throws: `.malformed`, `.unknownForm`.
    public init(decoding record: Span<UInt8>, of own: PeerID) throws(StoredRecordError) {
        guard record.count <= Self.maxCount else { throw .malformed }
        var reader = RecordReader(record.count)
        let form = record[try reader.take(1).lowerBound]
        guard Self.forms.contains(form) else { throw .unknownForm(form) }
        let name = try record.text(&reader)
        let proofs = try record.proofs(&reader)
        let count = record.number(try reader.take(4))
        guard let name, let count = Int(exactly: count) else { throw .malformed }
        let session = try Self.session(record.extracting(try reader.take(count)))
        let members = try Self.peers(session.members)
        guard Self.peer(session.own) == own, (1...GroupPlace.maxGroup).contains(name.utf8.count) else {
            throw .malformed
        }
        let spoken = record[try reader.take(1).lowerBound]
        guard spoken <= 2 else { throw .malformed }
        let sent = spoken == 0 ? nil : try record.sent(&reader)
        var views: [PeerID: TranscriptView] = [:]
        for member in members where proofs.contains(member) {
            let chains = session.chains(of: SophaxGroup.member(member))
            guard let newest = chains.last else { continue }
            guard chains.dropLast().allSatisfy({ $0.next == nil }) else { throw .malformed }
            views[member] = try record.transcript(of: newest.chain, &reader)
        }
        let bytes = views.values.reduce(0) { $0 + $1.encodedCount }
        guard reader.rest.isEmpty, bytes <= SophaxGroup.maxTranscriptBytes else { throw .malformed }
        if let chain = session.ownChain {
            guard let sent, sent.chain == chain.chain, sent.next == chain.next, spoken == 1 || chain.next > chain.first
            else { throw .malformed }
        }
        guard Self.form(of: views) == form else { throw .malformed }
        group = SophaxGroup(name, own, session, views, sent, speaksOld: spoken == 2, proofs)
    }

    /// The lowest form that has everything.
    private static func form(of views: [PeerID: TranscriptView]) -> UInt8 {
        views.values.allSatisfy { $0.claimant == nil } ? forms.lowerBound : forms.upperBound
    }

    private static func session(_ record: Span<UInt8>) throws(StoredRecordError) -> GroupSession {
        do throws(RecordError) {
            return try GroupSession(decoding: record, limits: .sophaxChat)
        } catch {
            throw StoredRecordError(error)
        }
    }

    private static func peer(_ member: GroupMember) -> PeerID? { PeerID(String(decoding: member.bytes, as: UTF8.self)) }

    private static func peers(_ members: [GroupMember]) throws(StoredRecordError) -> [PeerID] {
        let peers = members.compactMap(peer)
        guard peers.count == members.count else { throw .malformed }
        return peers
    }
}

extension SophaxGroup {
    /// All members, with this side, in order.
    public var members: [PeerID] { session.members.map(Self.peer) }

    /// Only IDs come in.
    static func peer(_ member: GroupMember) -> PeerID { PeerID(String(decoding: member.bytes, as: UTF8.self))! }
}

extension [UInt8] {
    fileprivate mutating func append(_ proofs: ProvedForms) {
        appendNumber(UInt16(proofs.proofs.count))
        for peer in proofs.proofs.keys.sorted() {
            appendShort(peer.bytes)
            append(proofs.proofs[peer]!.rawValue)
        }
    }

    fileprivate mutating func append(_ view: TranscriptView) {
        appendNumber(view.next)
        append((view.isForked ? 1 : 0) | (view.claimant == nil ? 0 : 2))
        appendNumber(UInt16(view.pastCount))
        for hash in view.pastHashes { self += hash }
        appendNumber(UInt16(view.ahead.count))
        for number in view.ahead.keys.sorted() {
            let entry = view.ahead[number]!
            appendNumber(number)
            self += entry.previous + entry.hash
        }
        if let claimant = view.claimant { appendShort(claimant.bytes) }
    }
}

extension Span<UInt8> {
    /// A length in one byte, then as much UTF-8.
    /// - Returns: nil for other bytes.
    fileprivate func text(_ reader: inout RecordReader) throws(StoredRecordError) -> String? {
        let count = Int(self[try reader.take(1).lowerBound])
        return String(validating: extracting(try reader.take(count)).revealBytes(), as: UTF8.self)
    }

    fileprivate func proofs(_ reader: inout RecordReader) throws(StoredRecordError) -> ProvedForms {
        let count = Int(number(try reader.take(2)))
        guard count <= ProvedForms.max else { throw .malformed }
        var proofs: [PeerID: ProvedForms.Proof] = [:]
        var last: PeerID?
        for _ in 0..<count {
            guard let peer = try text(&reader).flatMap({ PeerID($0) }), last.map({ $0 < peer }) ?? true,
                let proof = ProvedForms.Proof(rawValue: self[try reader.take(1).lowerBound])
            else { throw .malformed }
            proofs[peer] = proof
            last = peer
        }
        return ProvedForms(proofs)
    }

    fileprivate func sent(_ reader: inout RecordReader) throws(StoredRecordError) -> TranscriptView {
        guard let chain = ChainID(extracting(try reader.take(ChainID.count)).revealBytes()) else { throw .malformed }
        let sent = try transcript(of: chain, &reader)
        guard sent.ahead.isEmpty, !sent.isForked, sent.claimant == nil else { throw .malformed }
        return sent
    }

    fileprivate func transcript(
        of chain: ChainID, _ reader: inout RecordReader
    ) throws(StoredRecordError) -> TranscriptView {
        let next = UInt32(number(try reader.take(4)))
        let flags = self[try reader.take(1).lowerBound]
        guard flags <= 3 else { throw .malformed }
        let pastCount = Int(number(try reader.take(2)))
        guard (1...TranscriptView.remembered).contains(pastCount), pastCount - 1 <= Int(next) else { throw .malformed }
        var past: [[UInt8]] = []
        for _ in 0..<pastCount { past.append(try hash(&reader)) }
        let aheadCount = Int(number(try reader.take(2)))
        guard aheadCount <= TranscriptView.remembered else { throw .malformed }
        var ahead: [UInt32: TranscriptView.Entry] = [:]
        var last = next
        for _ in 0..<aheadCount {
            let number = UInt32(number(try reader.take(4)))
            guard number > last, number < .max else { throw .malformed }
            ahead[number] = TranscriptView.Entry(previous: try hash(&reader), hash: try hash(&reader))
            last = number
        }
        let claimant = flags & 2 == 0 ? nil : try text(&reader).flatMap { PeerID($0) }
        guard (claimant == nil) == (flags & 2 == 0) else { throw .malformed }
        return TranscriptView(
            chain: chain, next: next, past: past, ahead: ahead, isForked: flags & 1 != 0, claimant: claimant)
    }

    private func hash(_ reader: inout RecordReader) throws(StoredRecordError) -> [UInt8] {
        extracting(try reader.take(SHA256.count)).revealBytes()
    }
}
