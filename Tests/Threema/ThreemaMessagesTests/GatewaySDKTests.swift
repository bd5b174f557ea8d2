import Encodings
import Foundation
import Primitives
import SecureMemory
import Testing
import Threema
import ThreemaMedia
import VectorKit

@testable import ThreemaMessages

/// Messages between this room and the Gateway SDK, described by lists of texts that both sides make.
@Suite struct GatewaySDKTests {
    static let count = 500

    @Test func `the SDK opens what is sealed here`() throws {
        let (own, gateway) = (try Party("000ALICE"), try Party("*GATEWAY"))
        var orders: [GatewaySDK.Line] = []
        var expected: [[String?]] = []
        for number in 0..<Self.count {
            let sample = try Sample(number)
            let (body, blobs) = try sample.sealed(from: own, to: gateway)
            let payload = try own.seal(Message(body, from: own, to: gateway), for: gateway)
            orders.append(
                GatewaySDK.Line(
                    own: gateway.id.text, key: gateway.privateKey.hex, peer: own.id.text, peerKey: own.publicKey.hex,
                    nonce: payload.nonce.bytes.hex, box: payload.messageBox.hex, blobs: blobs))
            expected.append(sample.what)
        }
        let answers = try GatewaySDK.carryOut(orders)
        #expect(answers.count == Self.count)
        for (answer, what) in zip(answers, expected) { #expect(answer.what == what) }
    }

    @Test func `the SDK's program opens what is sealed here, with a key file that is written here`() throws {
        let (own, gateway) = (try Party("000ALICE"), try Party("*GATEWAY"))
        let file = FileManager.default.temporaryDirectory.appending(path: "gateway-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        let text = GatewayKeyText.encode(ClientKey(SecureBytes(copying: gateway.privateKey.span)))
        try Data(text.withBytes { $0.revealBytes() }).write(to: file)
        let message = Message(.chat(.text("Grüße")), from: own, to: gateway)
        let payload = try own.seal(message, for: gateway)
        let output = try GatewaySDK.program([
            "decrypt", file.path(), "public:\(own.publicKey.hex)", payload.nonce.bytes.hex, payload.messageBox.hex,
        ])
        #expect(output == "Grüße\n")
    }

    @Test func `what the SDK seals is opened here`() throws {
        let (own, gateway) = (try Party("000ALICE"), try Party("*GATEWAY"))
        let samples = try (0..<Self.count).map { try Sample($0) }
        let answers = try GatewaySDK.carryOut(
            samples.map {
                GatewaySDK.Line(
                    own: gateway.id.text, key: gateway.privateKey.hex, peer: own.id.text, peerKey: own.publicKey.hex,
                    what: $0.what)
            })
        #expect(answers.count == Self.count)
        var engine = Engine(own)
        engine.contacts[gateway.id] = gateway.publicKey
        for (number, (answer, sample)) in zip(answers, samples).enumerated() {
            let nonce = try #require(answer.nonce.flatMap { [UInt8](hex: $0) })
            let payload = MessagePayload(
                sender: gateway.id, receiver: own.id, id: MessageID(UInt64(number)), createdAt: 1, flags: [.push],
                legacyNickname: [UInt8](repeating: 0, count: 32), metadataBox: [], nonce: MessageNonce(nonce),
                messageBox: try #require(answer.box.flatMap { [UInt8](hex: $0) }))
            guard case .deliver(let message) = try engine.receive(payload.encoded).decision else {
                Issue.record("\(sample.what) is refused")
                continue
            }
            #expect(try sample.described(message.body, answer.blobs ?? [:], own, gateway) == sample.what)
        }
    }

    /// One message of the five kinds that the SDK knows.
    struct Sample {
        let what: [String?]

        init(_ number: Int) throws {
            let bytes = { Random.bytes(RandomMessages.number(0...300)).hex }
            let text = { RandomMessages.text($0).replacing("\u{1}", with: " ") }
            what =
                switch number % 5 {
                case 0: ["text_message", text(3000)]
                case 1: ["image_message", bytes()]
                case 2: ["video_message", "\(number)", Random.bytes(200).hex, Random.bytes(50).hex]
                case 3:
                    [
                        "file_message", bytes(), "image/png", "bïld.png", number % 2 == 0 ? nil : Random.bytes(9).hex,
                        number % 3 == 0 ? nil : "caption " + text(300),
                    ]
                default:
                    [
                        "delivery_receipt", ["received", "read", "user_acknowledge", "user_decline"][number / 5 % 4],
                        Random.bytes(8).hex, Random.bytes(8).hex,
                    ]
                }
        }

        private func bytes(_ index: Int) throws -> [UInt8] {
            try #require(what[index].flatMap { [UInt8](hex: $0) })
        }

        /// The body, and the blobs that it refers to.
        func sealed(from own: Party, to other: Party) throws -> (MessageBody, [String: String]) {
            let (first, second) = (BlobID(Random.bytes(16)), BlobID(Random.bytes(16)))
            let key = EnclosedKey.random()
            switch what[0] {
            case "text_message": return (.chat(.text(try #require(what[1]))), [:])
            case "image_message":
                let image = try bytes(1)
                let sealed = try own.sealImage(image, for: other)
                let message = LegacyImage(blobID: first, size: UInt32(image.count), nonce: sealed.nonce)
                return (.chat(.image(message)), ["\(first)": sealed.blob.hex])
            case "video_message":
                let (video, thumbnail) = (try bytes(2), try bytes(3))
                let message = LegacyVideo(
                    duration: try #require(what[1].flatMap { UInt16($0) }), blobID: first, size: UInt32(video.count),
                    thumbnailBlobID: second, thumbnailSize: UInt32(thumbnail.count), key: key)
                let blobs = [
                    "\(first)": Blob.seal(video.span, key: key).hex,
                    "\(second)": Blob.seal(thumbnail.span, .thumbnail, key: key).hex,
                ]
                return (.chat(.video(message)), blobs)
            case "file_message":
                let file = try bytes(1)
                var message = FileMessage(
                    blobID: first, key: key, mediaType: try #require(what[2]), size: Int64(file.count), name: what[3],
                    caption: what[5])
                var blobs = ["\(first)": Blob.seal(file.span, key: key).hex]
                if what[4] != nil {
                    message.thumbnail = .init(blobID: second)
                    let thumbnail = try bytes(4)
                    blobs["\(second)"] = Blob.seal(thumbnail.span, .thumbnail, key: key).hex
                }
                return (.chat(.file(message)), blobs)
            default:
                let names = ["received", "read", "user_acknowledge", "user_decline"]
                let status = DeliveryReceipt.Status.allCases[try #require(names.firstIndex { $0 == what[1] })]
                let ids = try what[2...].map { try #require($0.flatMap { MessageID(hex: $0) }) }
                return (.chat(.deliveryReceipt(DeliveryReceipt(status, of: ids))), [:])
            }
        }

        /// The list of texts that describes this body.
        func described(
            _ body: MessageBody, _ blobs: [String: String], _ own: Party, _ other: Party
        ) throws -> [String?] {
            func blob(_ id: BlobID) throws -> [UInt8] { try #require(blobs["\(id)"].flatMap { [UInt8](hex: $0) }) }
            func opened(_ id: BlobID, _ part: Blob.Part, _ key: EnclosedKey) throws -> String {
                let sealed = try blob(id)
                let plain = try Blob.open(sealed.span, part, key: key)
                return plain.copied.hex
            }
            switch body {
            case .chat(.text(let text)): return ["text_message", text]
            case .chat(.image(let image)):
                let plain = try own.openImage(image, blob(image.blobID), from: other)
                #expect(plain.count == image.size)
                return ["image_message", plain.hex]
            case .chat(.video(let video)):
                return [
                    "video_message", "\(video.duration)", try opened(video.blobID, .file, video.key),
                    try opened(video.thumbnailBlobID, .thumbnail, video.key),
                ]
            case .chat(.file(let file)):
                let thumbnail = try file.thumbnail.map { try opened($0.blobID, .thumbnail, file.key) }
                return [
                    "file_message", try opened(file.blobID, .file, file.key), file.mediaType, file.name, thumbnail,
                    file.caption,
                ]
            case .chat(.deliveryReceipt(let receipt)):
                let names = ["received", "read", "user_acknowledge", "user_decline"]
                return ["delivery_receipt", names[Int(receipt.status.rawValue) - 1]]
                    + receipt.messageIDs.map { "\($0)" }
            default: return []
            }
        }
    }
}
