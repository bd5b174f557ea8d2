import Encodings
import SecureMemory
import Threema
import ThreemaForwardSecurity
import ThreemaMessages

/// A random run of two clients with a bad network, which ends in a good one.
package struct RandomRun {
    /// What may go wrong.
    package struct Faults: Sendable {
        package var crashes = true
        package var network = true
        package var resets = true
        /// Whether a session store finds that it was copied. It does. Without, keys are used twice, and the checks
        /// find that.
        package var detectsCopies = true
        /// In how many of a hundred steps a session store is copied, or replaced by its copy.
        package var copyPercent = 2

        package init() {}
    }

    let sides: [Side]
    let wire = Wire()
    let random: RepeatableRandom
    let faults: Faults
    private var copies: [Disk.Sessions?] = [nil, nil]
    private var composed: [[MessageID]] = [[], []]

    package static func pair(_ random: RepeatableRandom) throws -> [Side] {
        let ids = [try ThreemaID("000ALICE"), try ThreemaID("00000BOB")]
        let keys = [random.bytes(32), random.bytes(32)]
        return try [0, 1].map { place in
            let own = Identity(id: ids[place], clientKey: ClientKey(secret(keys[place])))
            let contact = ClientKey(secret(keys[1 - place])).publicKey
            return try Side(own: own, contact: ids[1 - place], publicKey: contact, random: random)
        }
    }

    private static func secret(_ bytes: [UInt8]) -> SecureBytes { SecureBytes(copying: bytes.span) }

    package init(seed: UInt64, faults: Faults = Faults()) throws {
        random = RepeatableRandom(seed: seed)
        sides = try Self.pair(random)
        self.faults = faults
    }

    /// Makes random steps, then heals everything.
    /// - Returns: how many messages went over the wire.
    /// - Throws: `Violation`.
    package mutating func run(steps: Int) throws -> Int {
        for _ in 0..<steps { try step() }
        try heal()
        return wire.count
    }

    // MARK: Bad times

    private mutating func step() throws {
        let place = random.number(below: 2)
        let side = sides[place]
        switch random.number(below: 100) {
        case _ where faults.resets && random.happens(faults.copyPercent): try restore(place)
        case 0..<18: compose(place)
        case 18..<40: try side.sealDraft(crashes: faults.crashes && random.happens(10))
        case 40..<64: try transmit(place)
        case 64..<91: try deliver(to: place)
        case 91 where faults.resets:
            try loseOutbox(side, keeping: [:])
            side.reset()
        case 92..<94: side.supported = VersionRange(minimum: .v1_0, maximum: randomVersion())
        case 94: try change(side)
        case 95: try side.take(side.conversation().refresh(side.parties, side.circumstances))
        default: side.now = side.now + .hours(random.number(below: 20))
        }
    }

    private func randomVersion() -> Version { [.v1_0, .v1_1, .v1_2, .v1_2][random.number(below: 4)] }

    private mutating func compose(_ place: Int) {
        let group = GroupIdentity(creator: sides[place].id, id: GroupID([1, 2, 3, 4, 5, 6, 7, 8]))
        // No two texts are alike, so that two messages under one key are seen.
        let text = MessageBody.chat(.text("\(random.next())"))
        let bodies: [MessageBody] = [text, text, .requestProfilePicture, .groupLeave(group), .typing(true)]
        composed[place].append(sides[place].compose(bodies[random.number(below: bodies.count)]))
    }

    private mutating func change(_ side: Side) throws {
        side.policy = side.policy == .enabled && random.happens(30) ? .disabledHere : .enabled
        guard side.policy == .disabledHere else { return }
        try side.take(side.conversation().end(.disabledByLocal, side.parties, side.circumstances))
    }

    private mutating func restore(_ place: Int) throws {
        if let copy = copies[place], random.happens(50) {
            try loseOutbox(sides[place], keeping: copy.outbox)
            try sides[place].restore(copy, detected: faults.detectsCopies)
            copies[place] = nil
        } else {
            copies[place] = sides[place].disk.sessions
        }
    }

    /// Rejections that a side has stored and not sent are lost with its store.
    private func loseOutbox(_ side: Side, keeping kept: [[UInt8]: [UInt8]]) throws {
        for (name, payload) in side.disk.sessions.outbox where kept[name] != payload {
            try wire.loseRejection(payload, side)
        }
    }

    /// Sends the first message of the outbox. On the way it may get lost or doubled, and so may the acknowledgement.
    private func transmit(_ place: Int) throws {
        guard let (number, payload) = try sides[place].firstQueued() else { return }
        try wire.watch(payload, from: sides[place], place)
        if faults.network, random.happens(5) { return }
        wire.queues[1 - place].append(payload)
        if faults.crashes, random.happens(8) { return }
        try sides[place].acknowledged(number, payload)
        // The server loses what it has acknowledged.
        guard faults.network, random.happens(2) else { return }
        wire.queues[1 - place].removeLast()
        try wire.lose(payload, sides[place])
    }

    private func deliver(to place: Int) throws {
        guard !wire.queues[place].isEmpty else { return }
        let isLate = faults.network && random.happens(10)
        let index = isLate ? random.number(below: min(3, wire.queues[place].count)) : 0
        let payload = wire.queues[place][index]
        let crashes = faults.crashes && random.happens(5)
        try sides[place].receive(payload, crashes: crashes)
        // Without an acknowledgement, the message comes again.
        if crashes || faults.network && random.happens(8) { return }
        wire.queues[place].remove(at: index)
    }

    // MARK: Good times

    /// Lets everything arrive, sends a message in both directions some times, and checks what came of it.
    package mutating func heal() throws {
        for side in sides {
            side.policy = .enabled
            side.supported = .supported
        }
        try drain()
        for _ in 0..<3 { try exchange() }
        for side in sides { side.events = [] }
        try exchange()
        for side in sides {
            guard side.events.allSatisfy({ if case .message(.fourDH, skipped: _) = $0 { true } else { false } }),
                side.lastProtection == .fourDH
            else { throw Violation("the sides have not agreed: \(side.events)") }
        }
        try compareSessions()
        for place in 0..<2 {
            for id in composed[place] where !wire.lost.contains(id) {
                guard sides[1 - place].delivered[id] == 1 else { throw Violation("message \(id) was not delivered") }
            }
        }
    }

    private mutating func exchange() throws {
        for place in 0..<2 {
            composed[place].append(sides[place].compose(.chat(.text("\(random.next())"))))
            try drain()
        }
    }

    private func compareSessions() throws {
        let best = try sides.map { side in
            let sessions = try SessionSet(decoding: side.disk.sessions.record.span)
            return (
                sessions.best == .local ? sessions.local.id : sessions.remote.id,
                sessions.best == .local ? sessions.local.state : sessions.remote.state
            )
        }
        guard best[0].0 == best[1].0, [.L44, .R44].contains(best[0].1), [.L44, .R44].contains(best[1].1) else {
            throw Violation("the sides use \(best)")
        }
    }

    /// Sends and delivers until nothing is left.
    private func drain() throws {
        for _ in 0..<2000 {
            var isQuiet = true
            for place in 0..<2 {
                let side = sides[place]
                while !side.disk.drafts.isEmpty {
                    try side.sealDraft()
                    isQuiet = false
                }
                while let (number, payload) = try side.firstQueued() {
                    try wire.watch(payload, from: side, place)
                    wire.queues[1 - place].append(payload)
                    try side.acknowledged(number, payload)
                    isQuiet = false
                }
                while !wire.queues[place].isEmpty {
                    try side.receive(wire.queues[place].removeFirst())
                    isQuiet = false
                }
            }
            if isQuiet { return }
        }
        throw Violation("the sides do not come to rest")
    }
}
