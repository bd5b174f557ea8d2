import Primitives
import SecureMemory
import Threema
import ThreemaMessages

@testable import ThreemaWeb

/// A server's side of one connection, made of the messages that it sends and opens.
final class TestConnection {
    var link: SignalingLink
    let session = SessionKey(secure(bytes(0x77)))
    let permanent: PermanentKey
    /// Any keys until the client has said of itself who it is.
    var box = EnclosedKey.random()
    var clientKey = Scene.initiatorKey.publicKey
    /// What the client has said of itself.
    var clientAuth: SignalingFields?

    init(permanent: PermanentKey = Scene.serverKey, cookie: UInt8 = 0xc0) {
        self.permanent = permanent
        link = SignalingLink(
            own: 0, other: 0, SendingNonces(cookie: SignalingCookie(bytes(cookie, 16)), sequence: 0xffff_fff0),
            ReceivingNonces())
    }

    func hello(key: [UInt8]? = nil) throws -> [UInt8] {
        try link.clear(map("server-hello", ["key": .bytes(key ?? session.publicKey.bytes)]))
    }

    /// Takes client-hello if there is one, and client-auth.
    func take(_ messages: [[UInt8]]) throws {
        var messages = messages
        clientKey = Scene.initiatorKey.publicKey
        if messages.count == 2 {
            let hello = messages.removeFirst()
            let plain = try link.read(hello.span, SignalingNonce(hello.span))
            clientKey = try SignalingFields(plain.span, limits: .handshake).publicKey(.key)
        }
        box = SharedKeys.shared(session.bytes, clientKey)
        let message = messages[0]
        let auth = try link.open(message.span, SignalingNonce(message.span), key: box.bytes, .serverAuth)
        let fields = try SignalingFields(auth.span, limits: .handshake)
        try fields.require(.clientAuth)
        clientAuth = fields
    }

    /// - Parameters:
    ///   - changes: members that replace those of a right message; nil removes one.
    ///   - signed: what the server signs instead of its own keys; an empty one signs nothing.
    func auth(
        address: SignalingAddress, peers: [SignalingAddress] = [], changes: [String: MessagePackValue?] = [:],
        signed: [UInt8]? = nil
    ) throws -> [UInt8] {
        // The address counts from this message on.
        link = link.addressed(to: address)
        let sequence = link.nextSequence
        let nonce = SignalingNonce(cookie: link.cookie, source: 0, destination: address, sequence: sequence)
        var members: [String: MessagePackValue] = ["your_cookie": .bytes(link.otherCookie!.bytes)]
        if address == 1 {
            members["responders"] = .array(peers.map { .unsigned(UInt64($0)) })
        } else {
            members["initiator_connected"] = .bool(!peers.isEmpty)
        }
        let keys = signed ?? session.publicKey.bytes + clientKey.bytes
        if !keys.isEmpty {
            let shared = SharedKeys.shared(permanent.bytes, clientKey)
            members["signed_keys"] = .bytes(Box.seal(keys.span, nonce: nonce.bytes, sharedKey: shared.bytes))
        }
        for (name, value) in changes { members[name] = value }
        return try seal("server-auth", members)
    }

    func seal(_ type: String, _ members: [String: MessagePackValue] = [:]) throws -> [UInt8] {
        try link.seal(map(type, members), key: box.bytes)
    }

    func open(_ message: [UInt8]) throws -> SignalingFields {
        let plain = try link.open(message.span, SignalingNonce(message.span), key: box.bytes, .server)
        return try SignalingFields(plain.span, limits: .handshake)
    }
}

func map(_ type: String, _ members: [String: MessagePackValue]) -> [UInt8] {
    let sorted = members.sorted { $0.key < $1.key }.map { MessagePackValue.Member($0.key, $0.value) }
    return MessagePackValue.map([.init("type", .text(type))] + sorted).encoded
}

extension SignalingLink {
    /// The number of the next message. Sealing a message on a copy shows it.
    fileprivate var nextSequence: UInt64 {
        var copy = self
        let message = try! copy.clear([0])
        return SignalingNonce(message.span).sequence
    }

    /// The same counters, to another address.
    fileprivate func addressed(to address: SignalingAddress) -> SignalingLink {
        var receiving = ReceivingNonces()
        if let otherCookie { receiving = ReceivingNonces(cookie: otherCookie, combined: otherSequence!) }
        return SignalingLink(
            own: own, other: address, SendingNonces(cookie: cookie, combined: nextSequence), receiving)
    }
}

/// A path with a server that tells and relays everything in its order.
final class TestPath {
    private struct Member {
        let client: Client
        let server: TestConnection
    }

    private var members: [SignalingAddress: Member] = [:]
    private var pending: [(SignalingAddress, [UInt8])] = []
    private var isDelivering = false
    /// The events of each address, and what ended it.
    private(set) var events: [SignalingAddress: [SignalingEvent]] = [:]
    /// Those of all sides that were at an address, in their order.
    private(set) var history: [(address: SignalingAddress, event: SignalingEvent)] = []
    private(set) var closed: [SignalingAddress: (CloseCode, SignalingError?)] = [:]
    /// Every message that was relayed, in its order.
    private(set) var relayed: [[UInt8]] = []
    /// Changes a relayed message; nil loses it.
    var onRelay: (([UInt8]) -> [UInt8]?) = { $0 }

    func connect(_ client: Client, at address: SignalingAddress) throws {
        let server = TestConnection(cookie: 0xc0 &+ address)
        try server.take(client.receive(server.hello()).toSend)
        let isInitiator = address == 1
        let peers = members.keys.sorted().filter { isInitiator ? $0 > 1 : $0 == 1 }
        members[address] = Member(client: client, server: server)
        events[address] = []
        closed[address] = nil
        pending.append((address, try server.auth(address: address, peers: peers)))
        for peer in peers {
            let message =
                try isInitiator
                ? members[peer]!.server.seal("new-initiator")
                : members[peer]!.server.seal("new-responder", ["id": .unsigned(UInt64(address))])
            pending.append((peer, message))
        }
        try deliverPending()
    }

    func disconnect(_ address: SignalingAddress) throws {
        members[address] = nil
        for peer in members.keys.sorted() where (peer == 1) != (address == 1) {
            let message = try members[peer]!.server.seal("disconnected", ["id": .unsigned(UInt64(address))])
            try deliver(message, to: peer)
        }
    }

    /// A message of the server.
    func tell(_ address: SignalingAddress, _ type: String, _ values: [String: MessagePackValue] = [:]) throws {
        try deliver(members[address]!.server.seal(type, values), to: address)
    }

    /// What a client sends.
    func send(_ messages: [[UInt8]], from address: SignalingAddress) throws {
        for message in messages {
            let nonce = SignalingNonce(message.span)
            if nonce.destination == 0 {
                guard let fields = try members[address]?.server.open(message) else { continue }
                try fields.require(.dropResponder)
                members[try fields.address(.id, in: 2...255)] = nil
            } else if members[nonce.destination] != nil {
                relayed.append(message)
                if let changed = onRelay(message) { try deliver(changed, to: nonce.destination) }
            } else {
                try tell(address, "send-error", ["id": .bytes(Array(nonce.bytes[16...]))])
            }
        }
    }

    func deliver(_ message: [UInt8], to address: SignalingAddress) throws {
        pending.append((address, message))
        try deliverPending()
    }

    private func deliverPending() throws {
        guard !isDelivering else { return }
        isDelivering = true
        defer { isDelivering = false }
        while !pending.isEmpty {
            let (address, message) = pending.removeFirst()
            guard let member = members[address] else { continue }
            let progress = member.client.receive(message)
            events[address]! += progress.events
            history += progress.events.map { (address, $0) }
            if let close = progress.close { closed[address] = (close, progress.failure) }
            try send(progress.toSend, from: address)
        }
    }
}
