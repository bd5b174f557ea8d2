internal import Primitives
internal import SecureMemory

// A chain is known by its name, or by its key if it has none. When it is closed its key is wiped; so that nothing opens
// twice if it is given again, its position and a hash of its key stay.

/// The place where a chain stood when it was closed.
struct ClosedChain: Equatable, Sendable {
    /// Number of the next message.
    let next: UInt32
    /// SHA-256 of the chain key there, 32 bytes.
    let hash: [UInt8]

    init(next: UInt32, hash: [UInt8]) {
        self.next = next
        self.hash = hash
    }

    init(_ chain: KeyChain) {
        self.init(next: chain.next, hash: chain.key.bytes.withBytes { SHA256.hash($0) })
    }
}

extension GroupState {
    /// Most closed chains that are remembered in a group.
    static let maxClosed = 500

    /// Remembers where an open chain stands that is closed now. If there are too many, the member with most loses its
    /// oldest one: so who gives many chains forgets only its own.
    mutating func remember(_ chain: KeyChain, of member: GroupMember) {
        let place = ClosedChain(chain)
        var places = closed[member] ?? []
        places.removeAll { $0 == place }
        closed[member] = places + [place]
        guard closed.values.reduce(0, { $0 + $1.count }) > Self.maxClosed else { return }
        let most = closed.values.map(\.count).max()
        let full = closed.keys.sorted().first { closed[$0]?.count == most }!
        closed[full]?.removeFirst()
    }

    /// Closes chains, and remembers where they stood.
    mutating func close(_ chains: inout [OtherChain], _ places: Range<Int>, of member: GroupMember) {
        for index in places {
            if let open = chains[index].chain { remember(open, of: member) }
            chains[index].chain = nil
        }
    }

    /// A chain that a member gives, behind the place where it stood if it was closed.
    ///
    /// Positions up to 10,000 behind the given one are compared, or behind one that is of the same chain. Each is derived
    /// once.
    func resumed(_ given: KeyChain, of member: GroupMember) -> KeyChain {
        var (chain, furthest) = (given, given)
        for place in (closed[member] ?? []).sorted(by: { $0.next < $1.next }) {
            guard place.next >= furthest.next, place.next - furthest.next <= GroupSession.maxDistance else { continue }
            if place.next > chain.next { chain = chain.walk(to: place.next).chain }
            if ClosedChain(chain) == place { furthest = chain }
        }
        return furthest
    }
}
