import SecureMemory
import Testing
import VectorKit
import Threema

@testable import ThreemaWeb

/// A thousand changes of each message of both handshakes by the network. Each is refused by the first part that was not
/// as it was sent.
@Suite struct MutationTests {
    private enum Outcome: Equatable {
        case ends(SignalingError)
        case drops(SignalingError, CloseCode)
        case discarded(SignalingAddress)
    }

    /// What the nonce of a message with a box says, in the order of the checks.
    private func refusal(
        _ changed: [UInt8], _ sent: [UInt8], isFirst: Bool, _ step: SignalingError.Step
    ) -> SignalingError {
        let (nonce, right) = (SignalingNonce(changed.span), SignalingNonce(sent.span))
        if isFirst {
            if nonce.sequence >> 32 != 0 { return .overflowNotZero(UInt16(nonce.sequence >> 32)) }
        } else {
            if nonce.cookie != right.cookie { return .cookieChanged }
            if nonce.sequence != right.sequence {
                return .sequenceNotNext(expected: right.sequence, actual: nonce.sequence)
            }
        }
        return .notAuthentic(step)
    }

    private func atInitiator(
        _ changed: [UInt8], _ sent: [UInt8], isFirst: Bool, _ step: SignalingError.Step
    ) -> Outcome {
        if changed[17] != 1 { return .ends(.wrongDestination(changed[17])) }
        // In the name of the server, whose cookie is another one.
        if changed[16] == 0 { return .ends(.cookieChanged) }
        if changed[16] == 1 { return .ends(.wrongSource(1)) }
        if changed[16] != 2 { return .discarded(changed[16]) }
        let error = refusal(changed, sent, isFirst: isFirst, step)
        let isKey = error == .notAuthentic(.token) || error == .notAuthentic(.key)
        return .drops(error, isKey ? .initiatorCouldNotDecrypt : .protocolError)
    }

    private func atResponder(
        _ changed: [UInt8], _ sent: [UInt8], isFirst: Bool, _ step: SignalingError.Step
    ) -> Outcome {
        if changed[17] != 2 { return .ends(.wrongDestination(changed[17])) }
        if changed[16] == 0 { return .ends(.cookieChanged) }
        if changed[16] != 1 { return .ends(.wrongSource(changed[16])) }
        return .ends(refusal(changed, sent, isFirst: isFirst, step))
    }

    private static let messages: [(Int, SignalingError.Step)] = [
        (0, .token), (1, .key), (2, .key), (3, .auth), (4, .auth),
    ]

    @Test(arguments: messages)
    func `a message of the clients' handshake`(_ place: Int, _ step: SignalingError.Step) throws {
        let random = SeededRandom(seed: UInt64(place))
        for _ in 0..<1000 {
            let path = TestPath()
            var messages: (sent: [UInt8], changed: [UInt8]) = ([], [])
            var count = 0
            path.onRelay = { message in
                defer { count += 1 }
                guard count == place else { return message }
                messages = (message, random.changed(message))
                return messages.changed
            }
            try path.connect(Client(Scene.initiator()), at: 1)
            try path.connect(Client(Scene.responder()), at: 2)
            let (sent, changed) = messages
            let isAtInitiator = sent[17] == 1
            let wanted =
                isAtInitiator
                ? atInitiator(changed, sent, isFirst: place == 0, step)
                : atResponder(changed, sent, isFirst: place == 2, step)
            switch wanted {
            case .ends(let error): #expect(path.closed[sent[17]]! == (.protocolError, error))
            case .drops(let error, let code): #expect(path.events[1]!.contains(.dropped(2, code, error)))
            case .discarded(let address): #expect(path.events[1]!.contains(.discarded(from: address)))
            }
            let isPaired = path.events[sent[17]]!.contains { if case .paired = $0 { true } else { false } }
            #expect(!isPaired)
        }
    }

    /// The right messages of a server to a client whose random numbers are always the same.
    private func fromServer(_ client: Client, _ address: SignalingAddress) throws -> (hello: [UInt8], auth: [UInt8]) {
        let server = TestConnection()
        let hello = try server.hello()
        try server.take(client.receive(hello).toSend)
        return (hello, try server.auth(address: address))
    }

    private func client(_ address: SignalingAddress) -> Client {
        address == 1 ? Client(Scene.initiator()) : Client(Scene.responder())
    }

    @Test(arguments: [1, 2] as [SignalingAddress])
    func `a server's auth`(_ address: SignalingAddress) throws {
        let random = SeededRandom(seed: 20)
        let (hello, auth) = try fromServer(client(address), address)
        for _ in 0..<1000 {
            let client = client(address)
            _ = client.receive(hello)
            let changed = random.changed(auth)
            let progress = client.receive(changed)
            let isAddress = address == 1 ? changed[17] == 1 : changed[17] > 1
            let wanted: SignalingError =
                !isAddress
                ? .wrongDestination(changed[17])
                : changed[16] != 0
                    ? .wrongSource(changed[16]) : refusal(changed, auth, isFirst: false, .serverAuth)
            #expect(progress == SignalingProgress(close: .protocolError, failure: wanted))
        }
    }

    @Test(arguments: [1, 2] as [SignalingAddress])
    func `a server's hello, which nothing seals, up to its auth`(_ address: SignalingAddress) throws {
        let random = SeededRandom(seed: 30)
        let (hello, auth) = try fromServer(client(address), address)
        var found: Set<String> = []
        for _ in 0..<1000 {
            let client = client(address)
            let changed = random.changed(hello)
            let first = client.receive(changed)
            let failure = first.failure ?? client.receive(auth).failure
            let wanted = helloRefusal(changed, hello, auth)
            #expect(failure == wanted)
            #expect(first.events.isEmpty)
            found.insert("\(wanted)".prefix { $0 != "(" } + (first.failure == nil ? " later" : ""))
        }
        #expect(found.isSuperset(of: ["wrongSource", "wrongDestination", "message", "cookieChanged later"]))
        #expect(found.isSuperset(of: ["notAuthentic later", "sequenceNotNext later"]))
    }

    private func helloRefusal(_ changed: [UInt8], _ hello: [UInt8], _ auth: [UInt8]) -> SignalingError {
        let (nonce, right) = (SignalingNonce(changed.span), SignalingNonce(hello.span))
        if nonce.destination != 0 { return .wrongDestination(nonce.destination) }
        if nonce.source != 0 { return .wrongSource(nonce.source) }
        if nonce.sequence >> 32 != 0 { return .overflowNotZero(UInt16(nonce.sequence >> 32)) }
        let plaintext = Array(changed[24...])
        let key: PublicKey
        do throws(SignalingContentError) {
            let fields = try SignalingFields(plaintext.span, limits: .handshake)
            try fields.require(.serverHello)
            key = try fields.publicKey(.key)
        } catch {
            return .message(.serverHello, error)
        }
        let sent = SignalingNonce(auth.span)
        if nonce.cookie != right.cookie { return .cookieChanged }
        if nonce.sequence != right.sequence {
            return .sequenceNotNext(expected: nonce.sequence + 1, actual: sent.sequence)
        }
        // The highest bit of a key does not count in a multiplication: then the signature differs.
        var sameKey = Array(hello.suffix(32))
        sameKey[31] ^= 0x80
        return key.bytes == sameKey ? .serverKeyNotProved : .notAuthentic(.serverAuth)
    }

    @Test(arguments: ["new-responder", "disconnected", "send-error"])
    func `a message of the server after its handshake`(_ type: String) throws {
        let random = SeededRandom(seed: 40)
        for _ in 0..<1000 {
            let client = client(1)
            let server = TestConnection()
            try server.take(client.receive(server.hello()).toSend)
            #expect(client.receive(try server.auth(address: 1, peers: [2])).events.count == 1)
            let id: MessagePackValue = type == "send-error" ? .bytes([1, 2, 0, 0, 0, 0, 0, 7]) : .unsigned(2)
            let message = try server.seal(type, ["id": id])
            let changed = random.changed(message)
            let progress = client.receive(changed)
            switch changed[16] {
            case _ where changed[17] != 1: #expect(progress.failure == .wrongDestination(changed[17]))
            case 0: #expect(progress.failure == refusal(changed, message, isFirst: false, .server))
            case 1: #expect(progress.failure == .wrongSource(1))
            // In the name of the responder, whose first message it would be.
            case 2:
                let error = refusal(changed, message, isFirst: true, .token)
                guard case .dropped(2, _, error)? = progress.events.first else {
                    Issue.record("\(progress)")
                    continue
                }
            default: #expect(progress.events == [.discarded(from: changed[16])])
            }
        }
    }

    @Test(arguments: ["new-initiator", "disconnected"])
    func `a message of the server to a responder`(_ type: String) throws {
        let random = SeededRandom(seed: 41)
        for _ in 0..<1000 {
            let client = client(2)
            let server = TestConnection()
            try server.take(client.receive(server.hello()).toSend)
            #expect(client.receive(try server.auth(address: 2)).events == [.connected(address: 2, peers: [])])
            let message = try server.seal(type, type == "disconnected" ? ["id": .unsigned(1)] : [:])
            let changed = random.changed(message)
            let progress = client.receive(changed)
            switch changed[16] {
            case _ where changed[17] != 2: #expect(progress.failure == .wrongDestination(changed[17]))
            case 0: #expect(progress.failure == refusal(changed, message, isFirst: false, .server))
            // In the name of the initiator, who is not there.
            case 1: #expect(progress == SignalingProgress(events: [.discarded(from: 1)]))
            default: #expect(progress.failure == .wrongSource(changed[16]))
            }
        }
    }

    @Test func `messages of random bytes, and cut ones`() throws {
        let random = SeededRandom(seed: 50)
        let (hello, auth) = try fromServer(client(1), 1)
        for message in [hello, auth] {
            for count in 0..<message.count {
                let client = client(1)
                if message == auth { _ = client.receive(hello) }
                let failure = client.receive(Array(message[..<count])).failure
                if count < 25 {
                    #expect(failure == .tooShort(minimum: 25, actual: count))
                } else {
                    #expect(
                        failure
                            == (message == auth
                                ? .notAuthentic(.serverAuth) : .message(.serverHello, .messagePack(.truncated))))
                }
            }
        }
        for _ in 0..<1000 {
            let noise = (0..<25 + random.number(below: 200)).map { _ in UInt8(random.number(below: 256)) }
            #expect(client(2).receive(noise).failure != nil)
        }
        let long = hello + [UInt8](repeating: 0, count: 9000)
        #expect(client(1).receive(long).failure == .tooLong(limit: 8232, actual: long.count))
    }
}
