internal import SecureMemory

/// What people tell each other, between two or in a group.
public enum ChatContent: Equatable, Sendable {
    case text(String)
    case location(Location)
    case file(FileMessage)
    /// Between two people only.
    case image(LegacyImage)
    /// Between two people only.
    case video(LegacyVideo)
    case deliveryReceipt(DeliveryReceipt)
    case reaction(MessageReference)
    case edit(MessageReference)
    case delete(MessageReference)
    /// A body that is carried as it is: audio and polls, and images and videos in groups.
    case opaque(ChatKind, EnclosedBytes)

    /// Which kind of content it is, also of an opaque one.
    public var kind: ChatKind {
        switch self {
        case .text: .text
        case .location: .location
        case .file: .file
        case .image: .image
        case .video: .video
        case .deliveryReceipt: .deliveryReceipt
        case .reaction: .reaction
        case .edit: .edit
        case .delete: .delete
        case .opaque(let kind, _): kind
        }
    }

    /// - Parameter isInGroup: old images and videos have another, unknown form there.
    init(_ kind: ChatKind, decoding bytes: Span<UInt8>, isInGroup: Bool) throws(MessageBodyError) {
        switch kind {
        case .text: self = .text(try TextBody.decode(bytes))
        case .location: self = .location(try Location(decoding: bytes))
        case .file: self = .file(try FileMessage(decoding: bytes))
        case .image where !isInGroup: self = .image(try LegacyImage(decoding: bytes))
        case .video where !isInGroup: self = .video(try LegacyVideo(decoding: bytes))
        case .deliveryReceipt: self = .deliveryReceipt(try DeliveryReceipt(decoding: bytes))
        case .reaction: self = .reaction(try MessageReference(decoding: bytes))
        case .edit: self = .edit(try MessageReference(decoding: bytes))
        case .delete: self = .delete(try MessageReference(decoding: bytes))
        case .image, .video, .audio, .pollSetup, .pollVote: self = .opaque(kind, EnclosedBytes(copying: bytes))
        }
    }

    func encode(into body: inout BodyWriter, isInGroup: Bool) throws(MessageBodyError) {
        switch self {
        case .text(let text): try TextBody.encode(text, into: &body)
        case .location(let location): try location.encode(into: &body)
        case .file(let file): try file.encode(into: &body)
        case .image(let image):
            guard !isInGroup else { throw .invalidValue }
            try image.encode(into: &body)
        case .video(let video):
            guard !isInGroup else { throw .invalidValue }
            try video.encode(into: &body)
        case .deliveryReceipt(let receipt): try receipt.encode(into: &body)
        case .reaction(let reference), .edit(let reference), .delete(let reference):
            try reference.encode(into: &body)
        case .opaque(_, let bytes): try body.append(bytes)
        }
    }
}
