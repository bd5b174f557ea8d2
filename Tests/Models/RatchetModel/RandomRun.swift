import Encodings
import Primitives
import Ratchet
import SecureMemory

/// Two sides of a session with a bad network, crashes and restored stores.
package struct RandomRun {
    /// Mistakes of a caller that the run has to find.
    package enum Fault: String, CaseIterable, Sendable {
        /// A message leaves before the session is stored.
        case sendsBeforeStoring
        /// Plaintext and session are stored one after the other.
        case storesSeparately
        /// A session goes on although its store was replaced by a copy.
        case ignoresCopies
        /// The body is taken without authentication.
        case skipsAuthentication
        /// The session after a message is not stored.
        case forgetsToStore
    }

    package struct Counts: Sendable {
        package var events = 0
        package var sealed = 0
        package var opened = 0
        package var duplicates = 0
        package var beyondLimits = 0
        package var tampered = 0
        package var crashes = 0
        package var restored = 0
        package var sessions = 0
    }

    package private(set) var counts = Counts()
    private let suite: RatchetSuite
    private let fault: Fault?
    private var random: ModelRandom
    private var sides: [Side] = []
    /// To Alice, to Bob.
    private var wire: [[Side.Sent]] = [[], []]
    private var now = Timestamp(milliseconds: 1_700_000_000_000)
    private var session = 0
    private var texts: UInt64 = 0
    /// Digests of the keys of sealed messages, with their texts.
    private var used: [[UInt8]: [UInt8]] = [:]
    private var copies: [(disk: Side.Disk, session: Int)?] = [nil, nil]

    package init(_ suite: RatchetSuite, seed: UInt64, fault: Fault? = nil) throws {
        self.suite = suite
        self.fault = fault
        random = ModelRandom(seed: seed)
        let pair = try Self.pair(suite)
        sides = [
            Side(suite, pair.alice, isInitiator: true),
            Side(suite, pair.bob, isInitiator: false),
        ]
        counts.sessions = 1
    }

    private struct Pair: ~Copyable {
        let alice: DoubleRatchet
        let bob: DoubleRatchet
    }

    private static func pair(_ suite: RatchetSuite) throws -> Pair {
        let keys = (0..<4).map { _ in HeldKey(Random.secret(32)) }
        let publics = keys.map { key in key.bytes.withBytes { X25519.publicKey(of: $0) } }
        let secretA = try FirstSecret.initiate(
            suite, identity: keys[0].bytes, ephemeral: keys[1].bytes,
            with: FirstSecret.ResponderKeys(identity: publics[2], prekey: publics[3]))
        let secretB = try FirstSecret.respond(
            suite, identity: keys[2].bytes, prekey: keys[3].bytes, initiator: publics[0], ephemeral: publics[1])
        return Pair(
            alice: try DoubleRatchet.initiate(suite, secret: secretA, prekey: publics[3]),
            bob: DoubleRatchet.respond(suite, secret: secretB, prekey: keys[3].bytes))
    }

    /// Makes random steps; every 500 the network is good, and what is on its way arrives.
    /// - Throws: `Violation`.
    package mutating func run(events: Int) throws {
        while counts.events < events {
            try step()
            if counts.events % 500 == 0 { try drain() }
        }
        try drain()
    }

    private mutating func step() throws {
        counts.events += 1
        let place = random.number(below: 2)
        switch random.number(below: 1000) {
        case 0..<330: try seal(place)
        case 330..<560: transmit(place)
        case 560..<850: try deliver(to: place)
        case 850..<930: try tamper(place)
        case 930..<932: try beginAgain()
        case 932..<940: try copyOrRestore(place)
        case 943..<948: try sides[place].restart()
        case 940..<943: now = now + suite.limits.maxAge / 3
        default: now = now + .milliseconds(random.number(below: 2000))
        }
    }

    /// The users begin another session, and nothing of the former one is on its way any more.
    private mutating func beginAgain() throws {
        wire = [[], []]
        try beginSession()
    }

    private mutating func beginSession() throws {
        let pair = try Self.pair(suite)
        session += 1
        sides[0].begin(pair.alice, isInitiator: true, session: session)
        sides[1].begin(pair.bob, isInitiator: false, session: session)
        copies = [nil, nil]
        counts.sessions += 1
    }

    /// A copy of a store is made, or put in its place, with the session and the texts of that time. A store finds that,
    /// and then the caller begins another session. What was sent before still arrives.
    private mutating func copyOrRestore(_ place: Int) throws {
        if let copy = copies[place], copy.session == session, random.happens(300) {
            counts.restored += 1
            sides[place].disk = copy.disk
            try sides[place].restart()
            if fault != .ignoresCopies { try beginSession() }
        } else {
            copies[place] = (sides[place].disk, session)
        }
    }

    private mutating func seal(_ place: Int) throws {
        let side = sides[place]
        guard side.disk.outbox.count < 30 else { return }
        guard side.ratchet.canSend else { return }
        let keys = try side.ratchet.seal()
        texts += 1
        let text = (0..<8).map { UInt8(truncatingIfNeeded: texts >> UInt64(8 * $0)) }
        let sent = Side.Sent(
            letter: Letter(text, keys), text: text, session: session, chain: side.chain(keys.header.ratchetKey),
            header: keys.header, sent: now)
        let crashes = random.happens(60)
        if crashes { counts.crashes += 1 }
        if fault == .sendsBeforeStoring {
            try watch(keys, text)
            wire[1 - place].append(sent)
            if crashes { return try side.restart() }
        } else {
            // One transaction. Without it, nobody has seen the message.
            if crashes { return try side.restart() }
            try watch(keys, text)
            side.disk.outbox.append(sent)
        }
        side.store()
        counts.sealed += 1
    }

    /// No key seals two messages.
    private mutating func watch(_ keys: OutgoingKeys, _ text: [UInt8]) throws {
        let digest = keys.messageKey.bytes.withBytes { SHA256.hash($0) }
        if let other = used.updateValue(text, forKey: digest), other != text {
            throw Violation("a key has sealed two messages")
        }
    }

    /// Sends a message. On the way it may be lost or doubled.
    private mutating func transmit(_ place: Int) {
        guard !sides[place].disk.outbox.isEmpty else { return }
        let sent = sides[place].disk.outbox.removeFirst()
        if random.happens(80) { return }
        wire[1 - place].append(sent)
        if random.happens(80) { wire[1 - place].append(sent) }
    }

    private mutating func deliver(to place: Int) throws {
        // In every second part of the run messages pile up, so that those that come are ahead by as much as the limits.
        if counts.events / 250 % 2 == 0, !random.happens(150) { return }
        guard !wire[place].isEmpty else { return }
        let near = random.happens(800)
        let index = random.number(below: near ? min(3, wire[place].count) : wire[place].count)
        let crashes = random.happens(50)
        try receive(wire[place][index], at: place, crashes: crashes)
        if crashes { counts.crashes += 1 } else { wire[place].remove(at: index) }
    }

    private mutating func receive(_ sent: Side.Sent, at place: Int, crashes: Bool) throws {
        let side = sides[place]
        guard sent.session == side.session else { return try refuse(sent, side) }
        let before = side.expectation
        let expected = side.expectation.receive(
            chain: sent.chain, previous: Int(sent.header.previousCount), number: Int(sent.header.number), at: now)
        var result = Expectation.Result.opened
        do {
            let opened = try side.ratchet.open(sent.letter.received(suite), at: now) {
                (key) throws(AuthenticationError) in try sent.letter.open(key)
            }
            let text = opened.plaintext.revealBytes()
            guard text == sent.text else { throw Violation("a message opens as another one") }
            if fault == .storesSeparately, crashes { try store(text, side) }
            if crashes {
                side.expectation = before
            } else {
                try store(text, side)
                if fault != .forgetsToStore {
                    side.ratchet = opened.next
                    side.store()
                }
                counts.opened += 1
            }
        } catch let error as RatchetError {
            result = Self.result(error)
            if result == .duplicate { counts.duplicates += 1 }
            if result == .tooManySkipped { counts.beyondLimits += 1 }
        }
        if crashes { try side.restart() }
        // A chain that is gone looks like one to come, or like no chain at all.
        guard result == expected || expected == .refused && result != .opened else {
            throw Violation("\(expected) was expected, and it was \(result)")
        }
    }

    /// A message of a session that has ended opens in no other one, and changes nothing.
    private func refuse(_ sent: Side.Sent, _ side: Side) throws {
        do {
            _ = try side.ratchet.open(sent.letter.received(suite), at: now) { (key) throws(AuthenticationError) in
                try sent.letter.open(key)
            }
            throw Violation("a message of a session that has ended was opened")
        } catch is RatchetError {
            guard Side.record(side.ratchet) == side.disk.record else {
                throw Violation("a refused message has an effect")
            }
        }
    }

    private static func result(_ error: RatchetError) -> Expectation.Result {
        switch error {
        case .duplicate: .duplicate
        case .tooManySkipped: .tooManySkipped
        default: .refused
        }
    }

    /// No message is opened twice.
    private func store(_ text: [UInt8], _ side: Side) throws {
        guard side.disk.opened.insert(text).inserted else { throw Violation("a message was opened twice") }
    }

    /// A changed message is refused, and changes nothing.
    private mutating func tamper(_ place: Int) throws {
        guard !wire[place].isEmpty else { return }
        var sent = wire[place][random.number(below: wire[place].count)]
        guard sent.session == sides[place].session else { return }
        sent = Side.Sent(
            letter: changed(sent.letter), text: sent.text, session: sent.session, chain: sent.chain,
            header: sent.header, sent: sent.sent)
        counts.tampered += 1
        let side = sides[place]
        let skips = fault == .skipsAuthentication
        do {
            _ = try side.ratchet.open(sent.letter.received(suite), at: now) { (key) throws(AuthenticationError) in
                if skips { return SecureBytes(count: 0) { _ in } }
                return try sent.letter.open(key)
            }
            throw Violation("a changed message was opened")
        } catch is RatchetError {
            guard Side.record(side.ratchet) == side.disk.record else {
                throw Violation("a refused message has an effect")
            }
        }
    }

    /// A field is changed, one bit or all of it: the ratchet key, one of the numbers, the header's box, the body, the
    /// tag; or the message is cut.
    private mutating func changed(_ letter: Letter) -> Letter {
        var letter = letter
        let fields = [0..<32, 32..<36, 36..<40, 0..<letter.header.count]
        switch random.number(below: 8) {
        case let field where field < 4:
            let range = fields[field]
            if random.happens(500) {
                letter.header[range.lowerBound + random.number(below: range.count)] ^= 1 << random.number(below: 8)
            } else {
                letter.header.replaceSubrange(range, with: random.bytes(range.count))
            }
        case 4: letter.body[random.number(below: letter.body.count)] ^= 1 << random.number(below: 8)
        case 5: letter.body.removeLast(1 + random.number(below: letter.body.count))
        case 6: letter.header.removeLast(1 + random.number(below: letter.header.count))
        default: letter.body += random.bytes(1 + random.number(below: 20))
        }
        return letter
    }

    /// Everything arrives. Within the limits nothing is lost: what was expected to open has opened.
    private mutating func drain() throws {
        for place in 0..<2 {
            while !sides[place].disk.outbox.isEmpty { wire[1 - place].append(sides[place].disk.outbox.removeFirst()) }
        }
        for place in 0..<2 {
            while !wire[place].isEmpty { try receive(wire[place].removeFirst(), at: place, crashes: false) }
        }
        // A side that has lost more than it may skip cannot go on; its user begins another session.
        if suite.limits.maxSkipped < 100 || random.happens(100) { try beginAgain() }
    }
}
