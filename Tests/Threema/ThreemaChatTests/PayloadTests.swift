import SecureMemory
import Testing
import Threema
import ThreemaMessages
import VectorKit

@testable import ThreemaChat

@Suite struct PayloadTests {
    private static let named = ChatAcknowledgement(Scene.bob, MessageID(0x0807_0605_0403_0201))
    private static let token = EnclosedBytes(copying: ([0x11] + Array("token".utf8)).span)

    /// Every type, with its plaintext.
    static let all: [(payload: ChatPayload, plaintext: String)] = [
        (.echoRequest([1, 2]), "00000000 0102"), (.echoResponse([]), "80000000"),
        (.outgoingMessage(message(1).encoded), "01000000" + message(1).encoded.hex),
        (.incomingMessage([5]), "02000000 05"),
        (.serverAcknowledgement(named), "81000000 3030303030424f42 0102030405060708"),
        (.clientAcknowledgement(named), "82000000 3030303030424f42 0102030405060708"),
        (.unblockIncoming, "03000000"), (.pushToken(token), "20000000 11746f6b656e"),
        (.voipPushToken(token), "24000000 11746f6b656e"),
        (.deletePushTokens([1, .max]), "25000000 0100000000000000 ffffffffffffffff"),
        (.deletePushTokens([]), "25000000"),
        (.idleTimeout(seconds: 30), "30000000 1e00"), (.idleTimeout(seconds: 600), "30000000 5802"),
        (.queueSendComplete, "d0000000"), (.deviceCookieChanged, "d2000000"),
        (.clearDeviceCookieChange, "d3000000"),
        (.closeError(mayReconnect: true, text: "é"), "e0000000 01 c3a9"),
        (.closeError(mayReconnect: false, text: ""), "e0000000 00"), (.alert("hi"), "e1000000 6869"),
        (.unknown(type: 0x21, [7]), "21000000 07"),
    ]

    @Test(arguments: all.indices)
    func `each payload has its bytes`(_ index: Int) throws {
        let (payload, hex) = Self.all[index]
        let plaintext = try #require([UInt8](hex: hex))
        #expect(try ChatPayload(decoding: plaintext.span) == payload)
        var sealing = try Scene().clientCipher()
        var opening = try Scene().serverCipher()
        let frame = try ChatFrame.seal(payload, with: &sealing)
        #expect(Int(frame[0]) | Int(frame[1]) << 8 == frame.count - 2)
        let box = Array(frame[2...])
        let opened = try opening.open(box.span)
        #expect(opened == plaintext)
    }

    @Test(arguments: all.indices)
    func `a push token is wiped where its frame was opened`(_ index: Int) throws {
        let (payload, hex) = Self.all[index]
        let plaintext = try #require([UInt8](hex: hex))
        var sealing = try Scene().clientCipher()
        var opening = try Scene().serverCipher()
        let frame = try ChatFrame.seal(payload, with: &sealing)
        let next = try ChatFrame.seal(.unblockIncoming, with: &sealing)
        var queue = ByteQueue()
        queue.append((frame + next).span)
        let opened = try queue.openFrame(with: &opening.boxes)
        #expect(opened == payload)
        let bytes = try #require(Mirror(reflecting: queue).descendant("bytes") as? [UInt8])
        let isToken = [0x20, 0x24].contains(plaintext[0])
        #expect(Array(bytes[18..<frame.count]) == (isToken ? [UInt8](repeating: 0, count: plaintext.count) : plaintext))
        #expect(Array(bytes[frame.count...]) == next)
        let after = try queue.openFrame(with: &opening.boxes)
        #expect(after == .unblockIncoming)
    }

    @Test(arguments: all.indices)
    func `a client seals and a server takes what is of a client`(_ index: Int) throws {
        let payload = Self.all[index].payload
        let connected = try Connected()
        if payload.isFromClient {
            let progress = connected.serverReceives(try connected.client.seal(payload))
            if case .outgoingMessage = payload {
                #expect(progress.events == [.message(message(1))])
            } else {
                #expect(progress.events == [.received(payload)])
            }
        } else {
            #expect(throws: ChatSendingError.wrongDirection) { try connected.client.seal(payload) }
            let frame = try sealed(payload, isServer: false)
            let progress = connected.serverReceives(frame)
            #expect(progress == ChatProgress(events: [.ignored(type: payload.type)], toSend: []))
        }
    }

    @Test(arguments: all.indices)
    func `a server seals and a client takes what is of a server`(_ index: Int) throws {
        let payload = Self.all[index].payload
        let connected = try Connected()
        if payload.isFromServer {
            let frame = try connected.server.seal(payload)
            let progress = connected.client.receive(frame.span)
            #expect(progress.events == [.received(payload)])
        } else {
            #expect(throws: ChatSendingError.wrongDirection) { try connected.server.seal(payload) }
            let frame = try sealed(payload, isServer: true)
            let progress = connected.client.receive(frame.span)
            #expect(progress == ChatProgress(events: [.ignored(type: payload.type)], toSend: []))
        }
    }

    @Test(
        arguments: [
            ("", .tooShort(minimum: 4, actual: 0)), ("e10000", .tooShort(minimum: 4, actual: 3)),
            ("81000000 00", .wrongLength(expected: 16, actual: 1)),
            ("82000000 3030303030424f62 0102030405060708", .invalidID),
            ("03000000 00", .wrongLength(expected: 0, actual: 1)),
            ("d0000000 00", .wrongLength(expected: 0, actual: 1)),
            ("d2000000 00", .wrongLength(expected: 0, actual: 1)),
            ("d3000000 00", .wrongLength(expected: 0, actual: 1)),
            ("25000000 0102", .wrongLength(expected: 0, actual: 2)),
            ("30000000 1e", .wrongLength(expected: 2, actual: 1)), ("30000000 1d00", .outOfRange),
            ("30000000 5902", .outOfRange), ("e0000000", .tooShort(minimum: 1, actual: 0)),
        ] as [(String, ChatPayloadError)])
    func `a malformed payload is refused`(_ hex: String, _ error: ChatPayloadError) throws {
        let plaintext = try #require([UInt8](hex: hex))
        #expect(throws: error) { try ChatPayload(decoding: plaintext.span) }
    }

    @Test func `reserved bytes are ignored and text is repaired`() throws {
        #expect(try ChatPayload(decoding: [0x03, 1, 2, 3].span) == .unblockIncoming)
        #expect(try ChatPayload(decoding: [0xe1, 0, 0, 0, 0xff].span) == .alert("\u{fffd}"))
    }

    @Test func `both halves answer echo requests`() throws {
        let connected = try Connected()
        let atServer = connected.serverReceives(try connected.client.seal(.echoRequest([1, 2, 3])))
        let result1 = connected.client.receive(atServer.toSend.span)
        #expect(result1.events == [.received(.echoResponse([1, 2, 3]))])
        let longest = [UInt8](repeating: 7, count: 8172)
        let frame5615 = try connected.server.seal(.echoRequest(longest))
        let atClient = connected.client.receive(frame5615.span)
        let result2 = connected.serverReceives(atClient.toSend)
        #expect(result2.events == [.received(.echoResponse(longest))])
        #expect(throws: ChatSendingError.tooLong(limit: 8172, actual: 8173)) {
            try connected.client.seal(.echoRequest(longest + [7]))
        }
        // The refusal used no nonce.
        let after = connected.serverReceives(try connected.client.seal(.unblockIncoming))
        #expect(after == ChatProgress(events: [.received(.unblockIncoming)], toSend: []))
        #expect(throws: ChatSendingError.outOfRange) { try connected.client.seal(.idleTimeout(seconds: 29)) }
    }

    @Test func `frames of a wrong length end the connection as soon as it is known`() throws {
        for (length, failure) in [
            ([19, 0], ChatError.frameTooShort(minimum: 20, actual: 19)),
            ([0, 0], .frameTooShort(minimum: 20, actual: 0)),
            ([1, 0x20], .frameTooLong(limit: 8192, actual: 8193)),
            ([0xff, 0xff], .frameTooLong(limit: 8192, actual: 65535)),
        ] as [([UInt8], ChatError)] {
            let connected = try Connected()
            let result3 = connected.client.receive(length.span)
            #expect(result3.failure == failure)
            let result4 = connected.serverReceives(length)
            #expect(result4.failure == failure)
        }
    }

    @Test func `a frame that is repeated, left out or sent back does not open`() throws {
        let connected = try Connected()
        let first = try connected.client.seal(.unblockIncoming)
        let result5 = connected.serverReceives(first)
        #expect(result5.failure == nil)
        let again = connected.serverReceives(first)
        #expect(again == ChatProgress(events: [], toSend: [], failure: .frameNotAuthentic))

        let second = try Connected()
        _ = try second.client.seal(.unblockIncoming)
        let result6 = try second.serverReceives(second.client.seal(.unblockIncoming))
        #expect(result6.failure == .frameNotAuthentic)

        let third = try Connected()
        let reflected = try third.client.seal(.echoRequest([]))
        let result7 = third.client.receive(reflected.span)
        #expect(result7.failure == .frameNotAuthentic)
    }

    @Test func `the events before a failure count`() throws {
        let connected = try Connected()
        var bytes = try connected.server.seal(.alert("1"))
        bytes += [0, 0]
        let progress = connected.client.receive(bytes.span)
        #expect(progress.events == [.received(.alert("1"))])
        #expect(progress.failure == .frameTooShort(minimum: 20, actual: 0))
    }

    @Test func `a server refuses malformed messages and those of others`() throws {
        let connected = try Connected()
        let forged = try connected.client.seal(.outgoingMessage(message(1, from: Scene.bob).encoded))
        let result8 = connected.serverReceives(forged)
        #expect(result8.failure == .wrongSender)
        let second = try Connected()
        let result9 = try second.serverReceives(second.client.seal(.outgoingMessage([1])))
        #expect(result9.failure == .malformedMessage)
        let third = try Connected()
        var cipher = try third.scene.clientCipher()
        let box = cipher.seal([0x30, 0, 0, 0, 0, 0].span)
        let refused = third.serverReceives([UInt8(box.count), 0] + box)
        #expect(refused.failure == .payload(type: 0x30, .outOfRange))
    }

    /// A frame that the half of this side would not seal.
    private func sealed(_ payload: ChatPayload, isServer: Bool) throws -> [UInt8] {
        var cipher = isServer ? try Scene().serverCipher() : try Scene().clientCipher()
        return try ChatFrame.seal(payload, with: &cipher)
    }

    @Test func `a message is acknowledged with sender and ID, unless its flags or its sender say otherwise`() {
        func acknowledgement(_ change: (inout [UInt8]) -> Void) -> ChatPayload? {
            var bytes = message(7).encoded
            change(&bytes)
            var pipeline = IncomingPipeline(bytes.span, own: Scene.bob)
            guard case .finished(let result) = pipeline.start() else {
                // It is discarded: no such contact.
                guard case .findContact = pipeline.answer(nonceIsUsed: false),
                    case .finished(let result) = pipeline.refuseSender()
                else { return nil }
                return ChatPayload(acknowledging: result)
            }
            return ChatPayload(acknowledging: result)
        }
        let named = ChatAcknowledgement(Scene.alice, MessageID(7))
        #expect(acknowledgement { _ in } == .clientAcknowledgement(named))
        #expect(acknowledgement { $0[28] = MessageFlags.noServerAcknowledgement.rawValue } == nil)
        #expect(acknowledgement { $0[0] = 0 } == nil)
        #expect(acknowledgement { $0.removeLast($0.count - 20) } == nil)
        #expect(acknowledgement { $0.removeLast($0.count - 40) } == .clientAcknowledgement(named))
    }
}
