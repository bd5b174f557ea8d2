import AtomicFiles
import Foundation
import SecureMemory
import Testing
import Threema
import ThreemaChat
import ThreemaMedia
import ThreemaMessages
import VectorKit

@testable import ThreemaClient

/// A mailbox that answers, and the Gateway SDK (threema.gateway of PyPI): what one of them seals, the other one opens.
@Suite struct GatewayTests {
    private static let count = 100
    private let home: Household
    private let media = MediaHouse()
    private let gateway: Contact
    private let gatewayKey: String
    private var alice: Side { home.alice }

    init() throws {
        home = try Household()
        let key = Identity(id: try ThreemaID("*GATEWAY"), clientKey: .random())
        gateway = Contact(key.id, key.clientKey.publicKey, forwardSecurity: .unsupportedByContact)
        gatewayKey = key.clientKey.bytes.withBytes { $0.revealBytes() }.hex
        home.alice.directory = [gateway.id: gateway]
    }

    private func order(nonce: String? = nil, box: String? = nil, what: [String?]? = nil) -> GatewaySDK.Line {
        let blobs = media.state.withLock { $0.blobs.mapValues(\.bytes.hex) }
        return GatewaySDK.Line(
            own: gateway.id.text, key: gatewayKey, peer: alice.id.text, peerKey: alice.publicKey.bytes.hex,
            nonce: nonce, box: box, blobs: blobs, what: what)
    }

    /// What the SDK has sealed, as the chat server delivers it.
    private func payload(_ id: MessageID, _ line: GatewaySDK.Line) throws -> MessagePayload {
        let nonce = try #require(line.nonce.flatMap { [UInt8](hex: $0) })
        return MessagePayload(
            sender: gateway.id, receiver: alice.id, id: id, createdAt: 1_700_000_000, flags: [.push],
            legacyNickname: [UInt8](repeating: 0, count: 32), metadataBox: [], nonce: MessageNonce(nonce),
            messageBox: try #require(line.box.flatMap { [UInt8](hex: $0) }))
    }

    /// What the SDK reads in the mailbox's outbox.
    private func read() throws -> [[String?]?] {
        let payloads = try alice.sendOutbox().map { try MessagePayload(decoding: $0.span) }
        return try GatewaySDK.carryOut(
            payloads.map { order(nonce: $0.nonce.bytes.hex, box: $0.messageBox.hex) }
        ).map(\.what)
    }

    @Test func `a mailbox answers what the SDK sends`() throws {
        let texts = (0..<Self.count).map { "Lake \($0) ⛵️" }
        let sealed = try GatewaySDK.carryOut(texts.map { order(what: ["text_message", $0]) })
        for (number, line) in sealed.enumerated() {
            let payload = try payload(MessageID(UInt64(number)), line)
            for _ in 0..<2 {
                // It comes again after a crash, and is answered once.
                _ = try alice.mailbox.receive(payload.encoded.span) { incoming, changes in
                    guard let message = incoming.message, case .chat(.text(let text)) = message.body else { return }
                    try alice.mailbox.send(
                        .chat(.deliveryReceipt(DeliveryReceipt(.read, of: [message.id]))), to: message.sender,
                        in: changes)
                    try alice.mailbox.send(.chat(.text("I read: " + text)), to: message.sender, in: changes)
                }
                try alice.open()
            }
        }
        let expected: [[String?]?] = texts.enumerated().flatMap { number, text in
            [
                ["delivery_receipt", "read", MessageID(UInt64(number)).description],
                ["text_message", "I read: " + text],
            ]
        }
        #expect(try read() == expected)
    }

    @Test func `files go both ways`() throws {
        let content = Random.bytes(70_000)
        for name in ["copies", "files"] { try AtomicFiles.Directory.make(home.path + "/" + name) }
        try Data(content).write(to: URL(filePath: home.path + "/file"))
        let (client, stream) = try Network(home).connect(alice)
        let copies = try AtomicFiles.Directory.open(home.path + "/copies", rule: .secret)
        let file = try AtomicFiles.Directory.open(home.path, rule: .shared).inputFile("file")
        try client.send(
            file, as: OutgoingFile(mediaType: "image/png", name: "bïld.png", caption: "A", thumbnail: [1, 2, 3]),
            to: gateway.id, at: UploadPlace(media.client, copiesIn: copies))
        stream.close()
        // The server has not acknowledged it.
        alice.mailbox.restart()
        #expect(try read() == [["file_message", content.hex, "image/png", "bïld.png", "010203", "A"]])

        let what: [String?] = ["file_message", content.hex, "image/png", "b.png", "0405", "B"]
        let line = try #require(try GatewaySDK.carryOut([order(what: what)]).first)
        for (id, blob) in line.blobs ?? [:] {
            let bytes = try #require([UInt8](hex: blob))
            media.state.withLock { $0.blobs[id] = (bytes, false) }
        }
        let payload = try payload(.random(), line)
        guard case .chat(.file(let received)) = try alice.mailbox.receive(payload.encoded.span).message?.body else {
            Issue.record("no file came")
            return
        }
        let files = try AtomicFiles.Directory.open(home.path + "/files", rule: .secret)
        #expect(try media.client.receive(received, as: "b", in: files, isInGroup: false) == [4, 5])
        #expect(try Array(Data(contentsOf: URL(filePath: home.path + "/files/b"))) == content)
        #expect(received.name == "b.png" && received.caption == "B" && received.mediaType == "image/png")
    }
}
