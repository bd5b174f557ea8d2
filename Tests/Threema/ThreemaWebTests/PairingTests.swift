import Testing
import Threema

@testable import ThreemaWeb

/// Both clients on a path: who pairs with whom, and who is told what.
@Suite struct PairingTests {
    private let relayed = SignalingTask.relayedData

    private func paired(_ address: SignalingAddress, _ key: PermanentKey, _ data: MessagePackValue = .null)
        -> SignalingEvent
    {
        .paired(PairedPeer(address: address, publicKey: key.publicKey, task: relayed, taskData: data))
    }

    @Test(arguments: [true, false])
    func `a first pairing, in both orders`(_ initiatorIsFirst: Bool) throws {
        let path = TestPath()
        let (web, app) = (Client(Scene.initiator()), Client(Scene.responder()))
        if initiatorIsFirst { try path.connect(web, at: 1) }
        try path.connect(app, at: 2)
        if !initiatorIsFirst { try path.connect(web, at: 1) }
        #expect(path.events[1]!.last == paired(2, Scene.responderKey))
        #expect(path.events[2]!.last == paired(1, Scene.initiatorKey))
        // token, key, key, auth, auth
        #expect(path.relayed.map { $0[16] } == [2, 2, 1, 2, 1])
        #expect(path.closed.isEmpty)
        #expect(web.peer?.publicKey == Scene.responderKey.publicKey && app.peer?.address == 1)
    }

    @Test func `a trusted pairing sends no token`() throws {
        let path = TestPath()
        try path.connect(Client(Scene.initiator(.peer(Scene.responderKey.publicKey))), at: 1)
        try path.connect(Client(Scene.responder(nil)), at: 2)
        #expect(path.events[1]!.last == paired(2, Scene.responderKey))
        #expect(path.relayed.map { $0[16] } == [2, 1, 2, 1])
    }

    @Test func `messages go both ways, of the task and beside it`() throws {
        let path = TestPath()
        let (web, app) = (Client(Scene.initiator()), Client(Scene.responder()))
        try path.connect(web, at: 1)
        try path.connect(app, at: 2)
        let payload = MessagePackValue.map([.init("a", .bytes([UInt8](repeating: 7, count: 300_000)))])
        for round in 0..<3 {
            let data = PeerMessage.data(.array([.integer(Int64(round)), payload]))
            try path.send([web.send(data)], from: 1)
            #expect(path.events[2]!.last == .received(data))
            try path.send([app.send(.application(.text("\(round)")))], from: 2)
            #expect(path.events[1]!.last == .received(.application(.text("\(round)"))))
        }
        #expect(throws: SignalingSendingError.otherTask) { try web.send(.task(type: "offer", [])) }
        let long = PeerMessage.data(.bytes([UInt8](repeating: 0, count: 1 << 20)))
        #expect(throws: SignalingSendingError.tooLong(limit: 1 << 20, actual: (1 << 20) + 18)) { try web.send(long) }
    }

    @Test func `a wrong token is dropped, and the right one may follow`() throws {
        let path = TestPath()
        try path.connect(Client(Scene.initiator()), at: 1)
        let wrong = AuthToken(secure(bytes(99)))
        try path.connect(Client(Scene.responder(wrong, key: Scene.otherKey)), at: 2)
        #expect(path.events[1]!.contains(.dropped(2, .initiatorCouldNotDecrypt, .notAuthentic(.token))))
        try path.connect(Client(Scene.responder(start: 60)), at: 3)
        #expect(path.events[1]!.last == paired(3, Scene.responderKey))
        #expect(path.closed.isEmpty)
    }

    @Test func `a key that is not trusted is dropped`() throws {
        let path = TestPath()
        try path.connect(Client(Scene.initiator(.peer(Scene.responderKey.publicKey))), at: 1)
        try path.connect(Client(Scene.responder(nil, key: Scene.otherKey)), at: 2)
        #expect(path.events[1]!.contains(.dropped(2, .initiatorCouldNotDecrypt, .notAuthentic(.key))))
        // Nor is a token of any use.
        try path.connect(Client(Scene.responder(start: 60)), at: 3)
        #expect(path.events[1]!.contains(.dropped(3, .initiatorCouldNotDecrypt, .notAuthentic(.key))))
    }

    @Test func `a token is good for one responder`() throws {
        let path = TestPath()
        // The first one gets no further than its token.
        path.onRelay = { $0[16] == 1 && $0[17] == 2 ? nil : $0 }
        try path.connect(Client(Scene.initiator()), at: 1)
        try path.connect(Client(Scene.responder()), at: 2)
        try path.connect(Client(Scene.responder(key: Scene.otherKey, start: 60)), at: 3)
        #expect(path.events[1]!.contains(.dropped(3, .initiatorCouldNotDecrypt, .tokenUsed)))
    }

    @Test func `a responder that sends too much is dropped, and another one pairs`() throws {
        let path = TestPath()
        path.onRelay = { $0[16] == 2 ? $0 + [UInt8](repeating: 0, count: 9000) : $0 }
        try path.connect(Client(Scene.initiator()), at: 1)
        try path.connect(Client(Scene.responder(key: Scene.otherKey)), at: 2)
        let dropped = path.events[1]!.compactMap {
            if case .dropped(2, let code, let refusal) = $0 { (code, refusal) } else { nil }
        }
        #expect(dropped.count == 1 && dropped[0].0 == .protocolError)
        guard case .tooLong(limit: 8232, _)? = dropped.first?.1 else {
            Issue.record("\(dropped)")
            return
        }
        try path.connect(Client(Scene.responder(start: 60)), at: 3)
        #expect(path.events[1]!.last == paired(3, Scene.responderKey) && path.closed.isEmpty)
    }

    @Test func `all other responders are dropped, and later ones`() throws {
        let path = TestPath()
        try path.connect(Client(Scene.initiator()), at: 1)
        // Waits for the initiator's key for ever.
        path.onRelay = { $0[17] == 1 && $0[16] == 5 ? nil : $0 }
        try path.connect(Client(Scene.responder(key: Scene.otherKey)), at: 5)
        try path.connect(Client(Scene.responder(start: 60)), at: 2)
        #expect(path.events[1]!.suffix(2) == [paired(2, Scene.responderKey), .dropped(5, .droppedByInitiator, nil)])
        try path.connect(Client(Scene.responder(start: 80)), at: 6)
        // Its token and key were on their way.
        let late = [SignalingEvent](repeating: .discarded(from: 6), count: 2)
        #expect(path.events[1]!.suffix(4) == [.peerJoined(6), .dropped(6, .droppedByInitiator, nil)] + late)
    }

    @Test func `a peer that comes back pairs without a token`() throws {
        let path = TestPath()
        let (web, app) = (Client(Scene.initiator()), Client(Scene.responder()))
        try path.connect(web, at: 1)
        try path.connect(app, at: 2)
        try path.disconnect(2)
        #expect(path.events[1]!.last == .peerLeft(2) && web.peer == nil)
        #expect(throws: SignalingSendingError.notPaired) { try web.send(.data(.null)) }
        try path.connect(Client(Scene.responder(nil, start: 60)), at: 3)
        #expect(path.events[1]!.last == paired(3, Scene.responderKey))
        // Of the responder's side: its initiator connects again.
        let path2 = TestPath()
        let app2 = Client(Scene.responder())
        try path2.connect(app2, at: 2)
        try path2.connect(Client(Scene.initiator()), at: 1)
        try path2.connect(Client(Scene.initiator(.peer(Scene.responderKey.publicKey), start: 70)), at: 1)
        #expect(path2.events[2]!.suffix(2) == [.peerJoined(1), paired(1, Scene.initiatorKey)])
        #expect(path2.relayed.count == 5 + 4)
    }

    @Test func `an address with a new responder forgets the earlier one`() throws {
        let path = TestPath()
        let web = Client(Scene.initiator())
        try path.connect(web, at: 1)
        try path.connect(Client(Scene.responder()), at: 2)
        try path.connect(Client(Scene.responder(nil, start: 60)), at: 2)
        #expect(path.events[1]!.suffix(3) == [.peerLeft(2), .peerJoined(2), paired(2, Scene.responderKey)])
    }

    @Test func `an initiator chooses its first task that both have`() throws {
        let path = TestPath()
        let data = MessagePackValue.map([.init("max_packet_size", .unsigned(16_384))])
        let (webRTC, relayed) = (OfferedTask(.webRTC, data: data), OfferedTask(.relayedData))
        let web = Client(Scene.initiator(tasks: [webRTC, relayed]))
        try path.connect(web, at: 1)
        try path.connect(Client(Scene.responder(tasks: [relayed, webRTC])), at: 2)
        let peer = PairedPeer(address: 1, publicKey: Scene.initiatorKey.publicKey, task: .webRTC, taskData: data)
        #expect(path.events[2]!.last == .paired(peer))
        let offer = PeerMessage.task(type: "offer", [.init("offer", .map([.init("sdp", .text("v=0"))]))])
        try path.send([web.send(offer)], from: 1)
        #expect(path.events[2]!.last == .received(offer))
        #expect(throws: SignalingSendingError.otherTask) { try web.send(.data(.null)) }
    }

    @Test func `without a common task both sides end with 3006`() throws {
        let path = TestPath()
        try path.connect(Client(Scene.initiator(tasks: [OfferedTask(.webRTC)])), at: 1)
        try path.connect(Client(Scene.responder()), at: 2)
        #expect(path.closed[1]! == (.noSharedTask, .noSharedTask))
        #expect(path.events[2]!.last == .peerCloses(.noSharedTask))
        #expect(path.closed[2]! == (.noSharedTask, nil))
    }

    @Test(arguments: [1, 2] as [SignalingAddress])
    func `a side that closes tells the other one`(_ address: SignalingAddress) throws {
        let path = TestPath()
        let clients = [Client(Scene.initiator()), Client(Scene.responder())]
        try path.connect(clients[0], at: 1)
        try path.connect(clients[1], at: 2)
        let closing = clients[Int(address) - 1].close(.handover)
        #expect(closing.close == .handover && closing.failure == nil)
        try path.send(closing.toSend, from: address)
        #expect(path.events[3 - address]!.last == .peerCloses(.handover))
        #expect(path.closed[3 - address]! == (.goingAway, nil))
        // After the end nothing is taken or sent.
        #expect(clients[Int(address) - 1].close().toSend.isEmpty)
        #expect(clients[Int(address) - 1].receive([0]) == SignalingProgress(close: .handover))
    }

    @Test func `what is not delivered is told`() throws {
        let path = TestPath()
        let (web, app) = (Client(Scene.initiator()), Client(Scene.responder()))
        try path.connect(web, at: 1)
        try path.connect(app, at: 2)
        let lost = try web.send(.data(.null))
        let nonce = SignalingNonce(lost.span)
        try path.tell(1, "send-error", ["id": .bytes(Array(lost[16..<24]))])
        #expect(path.events[1]!.last == .notDelivered(to: 2, sequence: nonce.sequence))
        #expect(web.peer != nil)
    }

    @Test func `a responder can be dropped by hand`() throws {
        let path = TestPath()
        let web = Client(Scene.initiator())
        try path.connect(web, at: 1)
        path.onRelay = { _ in nil }
        try path.connect(Client(Scene.responder()), at: 2)
        let message = try #require(web.drop(2))
        try path.send([message], from: 1)
        #expect(web.drop(2) == nil)
        // A message of it that was on its way.
        try path.deliver(path.relayed[0], to: 1)
        #expect(path.events[1]!.last == .discarded(from: 2) && path.closed.isEmpty)
    }
}
