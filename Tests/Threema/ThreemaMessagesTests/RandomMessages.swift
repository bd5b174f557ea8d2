import Encodings
import SecureMemory
import Threema

@testable import ThreemaMessages

/// Bodies of every type with random content, of sizes from 0 to the limit.
enum RandomMessages {
    static func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(Random.number(below: UInt32(range.count)))
    }

    /// Random text of up to so many bytes; often short, sometimes as long as it may be.
    static func text(_ limit: Int) -> String {
        let count = [0, 1, number(0...limit), limit, number(0...40)][number(0...4)]
        let characters = ["a", "ä", "€", "😀", "\n", "\"", "\\", "\u{1}", "\u{fffd}"]
        var text = ""
        while text.utf8.count < count {
            let next = characters[number(0...8)]
            text += text.utf8.count + next.utf8.count <= count ? next : "x"
        }
        return text
    }

    static func bytes(_ limit: Int) -> [UInt8] { Random.bytes([0, 1, number(0...limit), limit][number(0...3)]) }
    static func group() -> GroupIdentity { GroupIdentity(creator: .random(), id: .random()) }
    static func blob() -> BlobID { BlobID(Random.bytes(16)) }
    static func ids(_ limit: Int) -> [MessageID] { (0..<number(1...limit)).map { _ in .random() } }
    static func maybe<Value>(_ value: @autoclosure () -> Value) -> Value? { number(0...1) == 0 ? nil : value() }
    static func picture() -> PictureMessage {
        PictureMessage(blobID: blob(), encryptedSize: UInt32(number(0...1 << 30)), key: .random())
    }

    static func reference() -> MessageReference {
        let text = bytes(6000)
        var fields: [UInt8] = [0x12, UInt8(text.count & 0x7f) | 0x80, UInt8(text.count >> 7)]
        fields += text
        return MessageReference(.random(), otherFields: maybe(fields) ?? [])
    }

    static func location() throws -> Location {
        func decimal(_ limit: Int) -> Double { Double("\(number(-limit...limit)).\(number(100_000...999_999))")! }
        let address = maybe(text(1000).replacing("\\", with: "/"))
        let name = address == nil ? nil : maybe(text(1000).replacing("\n", with: " "))
        return try Location(
            latitude: decimal(89), longitude: decimal(179), accuracy: maybe(Double(number(0...1_000_000))), name: name,
            address: address)
    }

    static func file() -> FileMessage {
        FileMessage(
            blobID: blob(), key: .random(), mediaType: "image/jpeg", size: Int64(number(0...1 << 30)),
            name: maybe(text(200).replacing("\u{1}", with: "_")), caption: maybe(text(700)),
            thumbnail: maybe(FileMessage.Thumbnail(blobID: blob(), mediaType: maybe("image/png"))),
            rendering: FileMessage.Rendering.allCases[number(0...2)], correlationID: maybe("c"),
            metadata: maybe(["a": true, "w": 3]))
    }

    static func content(_ kind: ChatKind, isInGroup: Bool) throws -> ChatContent {
        switch kind {
        case .text: .text(text(MessageLimits.textBytes))
        case .location: .location(try location())
        case .file: .file(file())
        case .image where !isInGroup:
            .image(LegacyImage(blobID: blob(), size: 7, nonce: MessageNonce(Random.bytes(24))))
        case .video where !isInGroup:
            .video(
                LegacyVideo(
                    duration: 9, blobID: blob(), size: 7, thumbnailBlobID: blob(), thumbnailSize: 3, key: .random()))
        case .deliveryReceipt:
            .deliveryReceipt(DeliveryReceipt(DeliveryReceipt.Status.allCases[number(0...3)], of: ids(800)))
        case .reaction: .reaction(reference())
        case .edit: .edit(reference())
        case .delete: .delete(reference())
        case .image, .video, .audio, .pollSetup, .pollVote: .opaque(kind, .of(bytes(6900)))
        }
    }

    /// - Returns: nil if only one certain sender may send the type.
    static func body(_ type: MessageType, from sender: ThreemaID) throws -> MessageBody? {
        guard type.onlySender == nil else { return nil }
        if let kind = ChatKind.allCases.first(where: { [$0.directType, $0.groupType].contains(type) }) {
            let isInGroup = type.container == .member
            let content = try content(kind, isInGroup: isInGroup)
            return isInGroup ? .groupChat(group(), content) : .chat(content)
        }
        switch type {
        case .typing: return .typing(number(0...1) == 0)
        case .setProfilePicture: return .profilePicture(picture())
        case .deleteProfilePicture: return .profilePicture(nil)
        case .requestProfilePicture: return .requestProfilePicture
        case .groupSetup: return .groupSetup(.random(), members: (0..<number(0...255)).map { _ in .random() })
        case .groupName: return .groupName(.random(), text(256))
        case .groupSetPicture: return .groupPicture(.random(), picture())
        case .groupDeletePicture: return .groupPicture(.random(), nil)
        case .groupSyncRequest: return .groupSyncRequest(.random())
        case .groupLeave: return .groupLeave(group())
        case .groupCallStart:
            return .groupCallStart(
                group(), GroupCallStart(protocolVersion: 1, key: .random(), serverURL: text(300)))
        case .forwardSecurity: return .forwardSecurity(bytes(7000))
        case .empty: return .empty
        case .callOffer, .callAnswer, .callCandidate, .callHangup, .callRinging, .workDelta, .webSessionResume:
            return .opaque(type, .of(bytes(7000)))
        case .text, .image, .location, .video, .audio, .pollSetup, .pollVote, .file, .deliveryReceipt, .reaction,
            .edit, .delete, .groupText, .groupLocation, .groupImage, .groupVideo, .groupAudio, .groupFile,
            .groupPollSetup, .groupPollVote, .groupDeliveryReceipt, .groupReaction, .groupEdit, .groupDelete:
            preconditionFailure("a kind of content")
        }
    }
}
