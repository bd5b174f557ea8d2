import Encodings
import Primitives
import Ratchet
import SecureMemory

/// A group whose members join and leave, while messages and distributions are on their way in any order.
///
/// Changes of the members have one order, in which everybody learns of them, at any time. A message tells its receiver
/// of the changes that its sender knew. Who has left keeps a copy of everything, and gets every message.
package struct GroupModel: Sendable {
    /// Mistakes of a caller or of limits that the search has to find.
    package enum Fault: String, CaseIterable, Sendable {
        /// A sender goes on with its chain when a member is gone.
        case keepsChain
        /// Messages before their distribution are dropped.
        case dropsEarlyMessages
        /// Who joins again begins with the first generation.
        case forgetsGeneration
        /// Only the newest chain of a sender is open.
        case oneOpenChain
    }

    struct Letter: Hashable, Sendable {
        let sender: Int
        let chain: [UInt8]
        let number: UInt32
        /// SHA-256 of the message key, which stands for the body.
        let seal: [UInt8]
        /// How many changes the sender knew.
        let known: Int
        /// The sender's life.
        let life: Int
        /// Of members, with their lives, who were given the chain.
        let readers: Set<Reader>
    }

    struct Reader: Hashable, Sendable {
        let place: Int
        /// How often the member has joined.
        let life: Int
    }

    struct Distribution: Hashable, Sendable {
        let sender: Int
        let known: Int
        let chain: [UInt8]
        let generation: UInt32
        let number: UInt32
        let key: [UInt8]
        let life: Int
    }

    enum Item: Hashable, Sendable {
        case letter(Letter)
        case distribution(Distribution)
    }

    struct Member: Hashable, Sendable {
        /// Nil if the member is not in the group as far as it knows.
        var record: [UInt8]?
        var life = 0
        /// How many changes it knows.
        var known = 0
        var held: Set<Letter> = []
        var opened: Set<Letter> = []
        var sealed = 0
        /// Everything that a former life had, which may open nothing sent later.
        var ghost: [UInt8]?
        /// Of the chains of all lives.
        var generation: UInt32?
        /// Who has to be given the chain.
        var pending: [GroupMember] = []
    }

    enum Change: Hashable, Sendable {
        case leave(Int)
        case join(Int)
    }

    package static let names = (0..<5).map { GroupMember([UInt8(ascii: "a") + UInt8($0)])! }
    private static let now = Timestamp(milliseconds: 1_700_000_000_000)

    let fault: Fault?
    var members: [Member]
    var changes: [Change] = []
    /// What is on its way to each member.
    var wire: [Set<Item>] = [[], [], [], [], []]
    /// Messages that a former member must not open.
    var forbidden: [Set<Letter>] = [[], [], [], [], []]
    let maxChanges: Int
    let maxSealed: Int

    /// Members a, b, c and d, who have each other's chains.
    package init(fault: Fault? = nil, maxChanges: Int = 3, maxSealed: Int = 2) throws {
        self.fault = fault
        self.maxChanges = maxChanges
        self.maxSealed = maxSealed
        members = (0..<5).map { _ in Member() }
        for place in 0..<4 {
            let group = try GroupSession(
                Self.names[place], members: Array(Self.names[..<4]), limits: Self.limits(fault))
            store(group, place)
        }
        try settle()
    }

    static func limits(_ fault: Fault?) -> GroupLimits {
        GroupLimits(
            maxMembers: 5, maxSkipped: 20, maxStored: 100, maxAge: .seconds(1000), maxSent: 1000,
            maxChainAge: .seconds(1000), openChains: fault == .oneOpenChain ? 1 : 8)
    }

    private func name(_ place: Int) -> String { String(decoding: Self.names[place].bytes, as: UTF8.self) }

    // MARK: Steps

    package enum Step: Hashable, Sendable {
        case leave(Int)
        case join(Int)
        /// A member learns of the next change.
        case learn(Int)
        /// A member gives its chain to another one.
        case distribute(Int, to: Int)
        case seal(Int)
        /// The item with this place in the order of all items.
        case deliver(Int, item: Int)
    }

    private func present(_ place: Int) -> Bool {
        var isIn = place < 4
        for change in changes {
            if change == .leave(place) { isIn = false }
            if change == .join(place) { isIn = true }
        }
        return isIn
    }

    /// The members after so many changes.
    private func list(_ known: Int) -> [GroupMember] {
        var places = Set(0..<4)
        for change in changes[..<known] {
            switch change {
            case .leave(let place): places.remove(place)
            case .join(let place): places.insert(place)
            }
        }
        return places.sorted().map { Self.names[$0] }
    }

    /// How often a member has joined within so many changes.
    private func life(of place: Int, _ known: Int) -> Int { changes[..<known].count { $0 == .join(place) } }

    /// Of a member that has one.
    private func group(_ place: Int) throws -> GroupSession {
        guard let record = members[place].record else { throw Violation("no record") }
        return try GroupSession(decoding: record.span, limits: Self.limits(fault))
    }

    private func hasGroup(_ place: Int) -> Bool { members[place].record != nil }

    private mutating func store(_ group: borrowing GroupSession, _ place: Int) {
        members[place].record = group.encoded().revealBytes()
        members[place].pending = group.pending(at: Self.now)
    }

    func steps() throws -> [Step] {
        var steps: [Step] = []
        if changes.count < maxChanges {
            let count = (0..<5).filter { present($0) }.count
            for place in 0..<5 {
                if present(place) {
                    // Who leaves knows it. Members that do nothing are alike, so only the last ones leave.
                    if count > 2, place >= 2 { steps.append(.leave(place)) }
                } else {
                    steps.append(.join(place))
                }
            }
        }
        for place in 0..<5 {
            for index in sorted(wire[place]).indices { steps.append(.deliver(place, item: index)) }
            guard hasGroup(place) else { continue }
            if members[place].known < changes.count { steps.append(.learn(place)) }
            let pending = members[place].pending
            for name in pending { steps.append(.distribute(place, to: Self.names.firstIndex(of: name)!)) }
            if pending.isEmpty, members[place].sealed < maxSealed { steps.append(.seal(place)) }
        }
        return steps
    }

    /// In an order that does not depend on this process.
    private func sorted(_ items: Set<Item>) -> [Item] {
        items.sorted { Self.order($0).lexicographicallyPrecedes(Self.order($1)) }
    }

    private static func order(_ item: Item) -> [UInt8] {
        switch item {
        case .distribution(let each):
            [0, UInt8(each.sender), UInt8(each.known), UInt8(each.number), UInt8(each.life)] + each.chain
        case .letter(let each): [1, UInt8(each.sender), UInt8(each.known), UInt8(each.number)] + each.chain
        }
    }

    package mutating func take(_ step: Step) throws {
        switch step {
        case .leave(let place): try leave(place)
        case .join(let place): try join(place)
        case .learn(let place): try learn(place, members[place].known + 1)
        case .distribute(let place, let other): try distribute(place, to: other)
        case .seal(let place): try seal(place)
        case .deliver(let place, let index):
            let item = sorted(wire[place])[index]
            wire[place].remove(item)
            try deliver(item, to: place)
        }
    }

    private mutating func leave(_ place: Int) throws {
        changes.append(.leave(place))
        var ghost = try group(place)
        members[place].generation = fault == .forgetsGeneration ? nil : ghost.lastGeneration
        // It may add whom it likes, and gets what is on its way.
        _ = try ghost.setMembers(Self.names)
        for item in wire[place] { if case .distribution(let each) = item { Self.accept(each, &ghost) } }
        members[place].ghost = ghost.encoded().revealBytes()
        members[place].record = nil
        members[place].held = []
        forbidden[place] = []
    }

    private mutating func join(_ place: Int) throws {
        changes.append(.join(place))
        members[place].life += 1
        members[place].known = changes.count
        members[place].ghost = nil
        let group = try GroupSession(
            Self.names[place], members: list(changes.count), limits: Self.limits(fault),
            lastGeneration: members[place].generation)
        store(group, place)
    }

    /// A member learns of all changes up to a number.
    private mutating func learn(_ place: Int, _ known: Int) throws {
        guard known > members[place].known, hasGroup(place) else { return }
        var group = try group(place)
        for number in members[place].known..<known {
            let list = list(number + 1)
            if case .leave(let gone) = changes[number], fault != .keepsChain || gone == place {
                members[place].held = members[place].held.filter { $0.sender != gone }
            }
            if fault == .keepsChain, case .leave = changes[number] { continue }
            if list.contains(Self.names[place]) { _ = try group.setMembers(list) }
        }
        members[place].known = known
        store(group, place)
    }

    private mutating func distribute(_ place: Int, to other: Int) throws {
        guard hasGroup(place) else { return }
        var group = try group(place)
        let life = UInt8(members[place].life)
        // Chains have names that tell whose they are, so that two ways to one state are one state.
        let generation = UInt8(truncatingIfNeeded: (members[place].sealed << 4) + members[place].known)
        let id = [UInt8(place), life, generation] + [UInt8](repeating: 0, count: 13)
        let made = try group.distribution(for: Self.names[other], at: Self.now) {
            (id: id, key: HeldKey(SecureBytes(copying: SHA256.hash(id.span).span)))
        }
        store(group, place)
        let distribution = Distribution(
            sender: place, known: members[place].known, chain: made.chain.bytes, generation: made.generation,
            number: made.number, key: made.key.bytes.revealBytes(),
            life: self.life(of: other, members[place].known))
        if members[other].record == nil { return try give(distribution, toGhost: other) }
        wire[other].insert(.distribution(distribution))
    }

    private mutating func give(_ distribution: Distribution, toGhost place: Int) throws {
        guard let record = members[place].ghost else { return }
        var ghost = try GroupSession(decoding: record.span, limits: Self.limits(fault))
        Self.accept(distribution, &ghost)
        members[place].ghost = ghost.encoded().revealBytes()
        for letter in forbidden[place] { try check(letter, place) }
    }

    @discardableResult
    private static func accept(_ distribution: Distribution, _ group: inout GroupSession) -> DistributionResult? {
        let key = distribution.key
        let made = ChainDistribution(
            chain: ChainID(distribution.chain)!, generation: distribution.generation, number: distribution.number,
            key: HeldKey(SecureBytes(copying: key.span)))
        return try? group.accept(made, from: names[distribution.sender], at: now)
    }

    private mutating func seal(_ place: Int) throws {
        guard hasGroup(place) else { return }
        var group = try group(place)
        let readers = Set(
            group.members.compactMap { name -> Reader? in
                let other = Self.names.firstIndex(of: name)!
                return other == place ? nil : Reader(place: other, life: life(of: other, members[place].known))
            })
        let keys = try group.seal(at: Self.now)
        members[place].sealed += 1
        store(group, place)
        let letter = Letter(
            sender: place, chain: keys.chain.bytes, number: keys.number,
            seal: keys.messageKey.bytes.withBytes { SHA256.hash($0) }, known: members[place].known,
            life: members[place].life, readers: readers)
        for other in 0..<5 where other != place {
            if members[other].record != nil { wire[other].insert(.letter(letter)) }
            // Who the sender knows to be gone must not open it, with everything it had and will get.
            if members[other].ghost != nil, !list(members[place].known).contains(Self.names[other]) {
                forbidden[other].insert(letter)
                try check(letter, other)
            }
        }
    }

    private func check(_ letter: Letter, _ place: Int) throws {
        guard let record = members[place].ghost else { return }
        let ghost = try GroupSession(decoding: record.span, limits: Self.limits(fault))
        if case .opened = Self.open(letter, ghost) {
            throw Violation("\(name(place)) opens what was sent after it had left")
        }
    }

    private enum Result {
        /// With the record after it.
        case opened([UInt8])
        case refused(GroupError)
    }

    private static func open(_ letter: Letter, _ group: borrowing GroupSession) -> Result {
        do throws(GroupError) {
            let opened = try group.open(
                from: names[letter.sender], chain: ChainID(letter.chain)!, number: letter.number, at: now
            ) { (key) throws(AuthenticationError) in
                guard key.bytes.withBytes({ SHA256.hash($0) }) == letter.seal else { throw .notAuthentic }
                return SecureBytes(count: 0) { _ in }
            }
            return .opened(opened.next.encoded().revealBytes())
        } catch {
            return .refused(error)
        }
    }

    private mutating func deliver(_ item: Item, to place: Int) throws {
        switch item {
        case .distribution(let distribution):
            guard distribution.life == members[place].life, members[place].record != nil else {
                return try give(distribution, toGhost: place)
            }
            try learn(place, distribution.known)
            var group = try group(place)
            let result = Self.accept(distribution, &group)
            store(group, place)
            guard result == .stored else { return }
            let released = members[place].held.filter { $0.chain == distribution.chain }
            for letter in released.sorted(by: { $0.number < $1.number }) {
                members[place].held.remove(letter)
                try open(letter, place)
            }
        case .letter(let letter):
            guard members[place].record != nil else { return }
            try learn(place, letter.known)
            try open(letter, place)
        }
    }

    /// Whether a member knows that the sender of a message has left since.
    private func isGone(_ letter: Letter, for place: Int) -> Bool {
        let known = members[place].known
        return !list(known).contains(Self.names[letter.sender]) || life(of: letter.sender, known) > letter.life
    }

    private mutating func open(_ letter: Letter, _ place: Int) throws {
        let group = try group(place)
        switch Self.open(letter, group) {
        case .opened(let record):
            members[place].record = record
            guard members[place].opened.insert(letter).inserted else { throw Violation("a message was opened twice") }
        case .refused(.unknownChain) where fault != .dropsEarlyMessages: members[place].held.insert(letter)
        case .refused(let error):
            // What a member may read is refused only if it knows that the sender has gone.
            let mayRead = letter.readers.contains(Reader(place: place, life: members[place].life))
            if mayRead, !isGone(letter, for: place) {
                throw Violation("\(name(place)) misses a message of \(name(letter.sender)), \(error)")
            }
        }
    }

    // MARK: Rest

    /// Everybody learns everything, and everything arrives. Then nobody has missed anything.
    mutating func settle() throws {
        for _ in 0..<200 {
            var isQuiet = true
            for place in 0..<5 {
                if members[place].record != nil, members[place].known < changes.count {
                    try learn(place, changes.count)
                    isQuiet = false
                }
                while let item = sorted(wire[place]).first {
                    wire[place].remove(item)
                    try deliver(item, to: place)
                    isQuiet = false
                }
                guard hasGroup(place) else { continue }
                let pending = members[place].pending
                for name in pending {
                    try distribute(place, to: Self.names.firstIndex(of: name)!)
                    isQuiet = false
                }
            }
            if isQuiet { return try checkHeld() }
        }
        throw Violation("the members do not come to rest")
    }

    private func checkHeld() throws {
        for place in 0..<5 {
            for letter in members[place].held
            where letter.readers.contains(Reader(place: place, life: members[place].life))
                && !isGone(letter, for: place)
            {
                throw Violation("\(name(place)) misses a message of \(name(letter.sender))")
            }
        }
    }

    /// Everybody seals a message, and every other member opens it.
    mutating func exchange() throws {
        for place in 0..<5 where members[place].record != nil {
            let before = members.map(\.opened.count)
            try seal(place)
            try settle()
            for other in 0..<5 where other != place && members[other].record != nil {
                guard members[other].opened.count == before[other] + 1 else {
                    throw Violation("\(name(other)) does not read \(name(place)) in the end")
                }
            }
        }
    }
}
