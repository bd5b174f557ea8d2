internal import Encodings
internal import Primitives
public import SecureMemory

// The record of a group. Numbers are little-endian.
//
//   offset  length  meaning
//        0       1  the form: 1, or 2 with what is marked so
//        1       …  own name: length (1), bytes
//        …       2  number of other members
//        …       …  for each, in ascending order: name
//        …       5  1 if this side has ever begun a chain (1), generation of the last one (4)
//        …       1  1 if there is an own chain
//        …      68  if so: ID (16), key (32), next number (4), first number (4), generation (4), when it began, Unix
//                   milliseconds (8); then the number of holders (2) and their places in the list of members (2 each),
//                   ascending
//        …       2  number of members with chains
//        …       …  for each: its place in the list (2), ascending; number of chains (1); the chains: those without a
//                   name, then the others, both by generation
//        …       2  form 2: number of closed chains that are remembered, at most 500
//        …      38  for each: place of its sender in the list (2), ascending; number of the next message (4), SHA-256 of
//                   the key there (32); of one sender from old to new
//
// A chain of another member:
//
//        0      16  ID
//       16       4  generation
//       20       1  1 it is open, 2 another one has replaced it; form 2: 4 it has opened messages that do not name it,
//                   or 8 it has no name
//        …      36  if it is open: key (32), next number (4)
//        …       8  if it was replaced: when
//        …       …  skipped keys, as in the record of a session

// Form 2 has something that form 1 lacks.

private let forms: ClosedRange<UInt8> = 1...2
private let closedCount = 2 + 4 + 32

extension GroupSession {
    /// Length of the longest record in bytes.
    public static func maxRecordCount(_ limits: GroupLimits) -> Int {
        let chain = ChainID.count + 4 + 1 + KeyChain.encodedCount + 8 + KeyTable.encodedCount(0)
        // A chain is open, or the newest, or has a key.
        let chains = min(
            limits.maxMembers * (limits.openChains + 1) + limits.maxStored, limits.maxMembers * GroupState.maxChains)
        return 100 + limits.maxMembers * (GroupMember.maxCount + 1 + 2 + 3) + chains * chain
            + KeyTable.encodedCount(limits.maxStored) + 2 + GroupState.maxClosed * closedCount
    }

    /// The group as a record. It has all of its keys: seal it where it is stored, and let no old one survive.
    public borrowing func encoded() -> SecureBytes {
        var buffer = SecureBuffer(capacity: state.encodedCount)
        buffer.append(state.form)
        buffer.append(state.own)
        buffer.append(number: UInt64(state.others.count), width: 2)
        for member in state.others {
            buffer.append(member)
        }
        buffer.append(state.generation == nil ? 0 : 1)
        buffer.append(number: UInt64(state.generation ?? 0), width: 4)
        buffer.append(state.sending == nil ? 0 : 1)
        if let sending = state.sending {
            buffer.append(sending.id.bytes.span)
            buffer.append(sending.chain)
            buffer.append(number: UInt64(sending.first), width: 4)
            buffer.append(number: UInt64(sending.generation), width: 4)
            buffer.append(number: UInt64(bitPattern: sending.started.milliseconds), width: 8)
            let holders = state.others.indices.filter { sending.holders.contains(state.others[$0]) }
            buffer.append(number: UInt64(holders.count), width: 2)
            for place in holders { buffer.append(number: UInt64(place), width: 2) }
        }
        let senders = state.others.indices.filter { state.receiving[state.others[$0]] != nil }
        buffer.append(number: UInt64(senders.count), width: 2)
        for place in senders {
            let chains = state.receiving[state.others[place]] ?? []
            buffer.append(number: UInt64(place), width: 2)
            buffer.append(UInt8(chains.count))
            for chain in chains { buffer.append(chain) }
        }
        if state.form == forms.upperBound { buffer.append(state.closed, state.others) }
        return buffer.finish()
    }

    /// Reads a record. The limits hold for what it contains.
    /// - Throws: `.unknownForm`, `.malformed`.
    public init(decoding record: Span<UInt8>, limits: GroupLimits) throws(RecordError) {
        guard record.count <= Self.maxRecordCount(limits) else { throw .malformed }
        var position = 0
        let form = UInt8(try record.number(1, &position))
        guard forms.contains(form) else { throw .unknownForm(form) }
        var state = try GroupState(decoding: record, &position, limits)
        if form == forms.upperBound { try state.readClosed(record, &position) }
        guard position == record.count, state.form == form else { throw .malformed }
        self.init(limits: limits, state: state)
    }
}

extension SecureBuffer {
    fileprivate mutating func append(_ member: GroupMember) {
        append(UInt8(member.bytes.count))
        append(member.bytes.span)
    }

    fileprivate mutating func append(_ chain: GroupState.OtherChain) {
        append(chain.id.bytes.span)
        append(number: UInt64(chain.generation), width: 4)
        append((chain.chain == nil ? 0 : 1) | (chain.replaced == nil ? 0 : 2) | chain.naming.rawValue)
        if let open = chain.chain { append(open) }
        if let replaced = chain.replaced { append(number: UInt64(bitPattern: replaced.milliseconds), width: 8) }
        append(chain.skipped)
    }

    fileprivate mutating func append(_ closed: [GroupMember: [ClosedChain]], _ others: [GroupMember]) {
        append(number: UInt64(closed.values.reduce(0) { $0 + $1.count }), width: 2)
        for (place, member) in others.enumerated() {
            for chain in closed[member] ?? [] {
                append(number: UInt64(place), width: 2)
                append(number: UInt64(chain.next), width: 4)
                append(chain.hash.span)
            }
        }
    }
}

extension Span where Element == UInt8 {
    fileprivate func member(_ position: inout Int) throws(RecordError) -> GroupMember {
        let count = Int(try number(1, &position))
        guard let member = GroupMember(try bytes(count, &position)) else { throw .malformed }
        return member
    }

    fileprivate func chainID(_ position: inout Int) throws(RecordError) -> ChainID {
        guard let id = ChainID(try bytes(ChainID.count, &position)) else { throw .malformed }
        return id
    }

    fileprivate func time(_ position: inout Int) throws(RecordError) -> Timestamp {
        Timestamp(milliseconds: Int64(bitPattern: try number(8, &position)))
    }

    /// A truth value.
    fileprivate func flag(_ position: inout Int) throws(RecordError) -> Bool {
        let flag = try number(1, &position)
        guard flag <= 1 else { throw .malformed }
        return flag == 1
    }

    /// Ascending places in a list.
    fileprivate func places(below limit: Int, _ position: inout Int) throws(RecordError) -> [Int] {
        let count = Int(try number(2, &position))
        guard count <= limit else { throw .malformed }
        var places: [Int] = []
        for _ in 0..<count { places.append(try place(below: limit, after: places.last, &position)) }
        return places
    }

    fileprivate func place(below limit: Int, after last: Int?, _ position: inout Int) throws(RecordError) -> Int {
        let place = Int(try number(2, &position))
        guard place < limit, last.map({ $0 < place }) ?? true else { throw .malformed }
        return place
    }
}

extension GroupState {
    fileprivate var encodedCount: Int {
        var count = 1 + own.bytes.count + 1 + 2 + 5 + 1 + 2
        count += others.reduce(0) { $0 + 1 + $1.bytes.count }
        if let sending { count += ChainID.count + KeyChain.encodedCount + 16 + 2 + 2 * sending.holders.count }
        for chains in receiving.values {
            count += 3
            for chain in chains {
                count += ChainID.count + 4 + 1 + (chain.chain == nil ? 0 : KeyChain.encodedCount)
                count += (chain.replaced == nil ? 0 : 8) + KeyTable.encodedCount(chain.skipped.count)
            }
        }
        if form == forms.upperBound { count += 2 + closedCount * closed.values.reduce(0) { $0 + $1.count } }
        return count + 1
    }

    /// The lowest form that has everything.
    fileprivate var form: UInt8 {
        let isPlain = closed.isEmpty && receiving.values.allSatisfy { $0.allSatisfy { $0.naming == .named } }
        return isPlain ? forms.lowerBound : forms.upperBound
    }

    fileprivate mutating func readClosed(_ record: Span<UInt8>, _ position: inout Int) throws(RecordError) {
        let count = Int(try record.number(2, &position))
        guard count <= Self.maxClosed else { throw .malformed }
        var last = 0
        for _ in 0..<count {
            let place = Int(try record.number(2, &position))
            guard place < others.count, place >= last else { throw .malformed }
            let next = UInt32(try record.number(4, &position))
            let hash = try record.bytes(SHA256.count, &position)
            closed[others[place], default: []].append(ClosedChain(next: next, hash: hash))
            last = place
        }
    }

    fileprivate init(decoding record: Span<UInt8>, _ position: inout Int, _ limits: GroupLimits) throws(RecordError) {
        let own = try record.member(&position)
        let count = Int(try record.number(2, &position))
        guard count < limits.maxMembers else { throw .malformed }
        var others: [GroupMember] = []
        for _ in 0..<count {
            let member = try record.member(&position)
            guard member != own, others.last.map({ $0 < member }) ?? true else { throw .malformed }
            others.append(member)
        }
        self.init(own: own, others: others)
        let hasGeneration = try record.flag(&position)
        let last = UInt32(try record.number(4, &position))
        guard hasGeneration || last == 0 else { throw .malformed }
        generation = hasGeneration ? last : nil
        if try record.flag(&position) { sending = try OwnChain(decoding: record, &position, others) }
        guard sending == nil || sending?.generation == generation else { throw .malformed }
        let senders = Int(try record.number(2, &position))
        guard senders <= others.count else { throw .malformed }
        var place: Int?
        for _ in 0..<senders {
            let next = try record.place(below: others.count, after: place, &position)
            receiving[others[next]] = try Self.chains(record, &position, limits, stored: storedCount)
            place = next
        }
    }

    private static func chains(
        _ record: Span<UInt8>, _ position: inout Int, _ limits: GroupLimits, stored: Int
    ) throws(RecordError) -> [OtherChain] {
        let count = Int(try record.number(1, &position))
        guard (1...maxChains).contains(count) else { throw .malformed }
        var chains: [OtherChain] = []
        var room = limits.maxStored - stored
        for index in 0..<count {
            let chain = try OtherChain(decoding: record, &position, limit: room)
            room -= chain.skipped.count
            let isNewest = index == count - 1
            guard chains.last.map({ $0.precedes(chain) }) ?? true,
                !chains.contains(where: { $0.id == chain.id }), isNewest == (chain.replaced == nil),
                isNewest || chain.chain != nil || !chain.skipped.isEmpty,
                chain.chain == nil || count - index <= limits.openChains
            else { throw .malformed }
            chains.append(chain)
        }
        return chains
    }
}

extension GroupState.OwnChain {
    fileprivate init(
        decoding record: Span<UInt8>, _ position: inout Int, _ others: [GroupMember]
    ) throws(RecordError) {
        let id = try record.chainID(&position)
        let chain = try record.chain(&position)
        let first = UInt32(try record.number(4, &position))
        let generation = UInt32(try record.number(4, &position))
        let started = try record.time(&position)
        guard first <= chain.next else { throw .malformed }
        var holders: Set<GroupMember> = []
        for place in try record.places(below: others.count, &position) { holders.insert(others[place]) }
        self.init(
            id: id, generation: generation, chain: chain, first: first, started: started, holders: holders)
    }
}

extension GroupState.OtherChain {
    fileprivate init(decoding record: Span<UInt8>, _ position: inout Int, limit: Int) throws(RecordError) {
        let id = try record.chainID(&position)
        let generation = UInt32(try record.number(4, &position))
        let parts = try record.number(1, &position)
        guard parts <= 15, let naming = GroupState.Naming(rawValue: UInt8(parts) & ~3) else { throw .malformed }
        let chain = parts & 1 == 0 ? nil : try record.chain(&position)
        let replaced = parts & 2 == 0 ? nil : try record.time(&position)
        let skipped = try record.table(limit: limit, below: chain?.next, &position)
        self.init(
            id: id, generation: generation, naming: naming, chain: chain, skipped: skipped, replaced: replaced)
    }

    /// Whether it may stand before another one.
    fileprivate func precedes(_ other: GroupState.OtherChain) -> Bool {
        guard (naming == .unnamed) == (other.naming == .unnamed) else { return naming == .unnamed }
        return generation < other.generation
    }
}
