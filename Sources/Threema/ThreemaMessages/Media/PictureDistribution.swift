public import Encodings
public import Threema

/// Whether a message takes the user's profile picture along (whitepaper, "Profile Pictures"). Media servers delete
/// files after two weeks, so the picture is uploaded again after one, under another key.
public enum PictureDistribution {
    /// Who gets to see the picture.
    public enum Audience: Equatable, Sendable {
        case everyone
        case selected(Set<ThreemaID>)
        case nobody
    }

    /// The picture on the media server.
    public struct Upload: Equatable, Sendable {
        /// What its receivers are told.
        public let message: PictureMessage
        /// When it was uploaded.
        public let uploadedAt: Timestamp

        /// Puts the two together.
        public init(message: PictureMessage, uploadedAt: Timestamp) {
            self.message = message
            self.uploadedAt = uploadedAt
        }
    }

    /// What a contact was told last.
    public enum Told: Equatable, Sendable {
        case nothing
        case picture(BlobID)
        case deletion(Timestamp)
    }

    /// What to do before or after the message is sent.
    public enum Decision: Equatable, Sendable {
        /// Nothing: this contact knows, or is not to know.
        case nothing
        /// Upload the picture with `Blob.sealPicture`, then decide again.
        case upload
        /// Send a message with this picture.
        case send(PictureMessage)
        /// Tell the contact that there is no picture.
        case delete
    }

    /// How long an upload is referred to, and how long a contact need not be told again that there is no picture.
    public static let lifetime = Duration.days(7)

    /// What the contact is told along with a message.
    /// - Parameters:
    ///   - type: of the message that the user sends.
    ///   - hasPicture: whether the user has a picture.
    ///   - upload: the last upload of that picture; nil if it was never uploaded.
    public static func decide(
        with type: MessageType, to contact: ThreemaID, hasPicture: Bool, audience: Audience, upload: Upload?,
        told: Told, now: Timestamp
    ) -> Decision {
        guard type.distributesProfile, !contact.text.hasPrefix("*"), contact.text != "ECHOECHO" else { return .nothing }
        let mayKnow =
            switch audience {
            case .everyone: true
            case .selected(let contacts): contacts.contains(contact)
            case .nobody: false
            }
        guard hasPicture && mayKnow else {
            if case .deletion(let time) = told, isRecent(time, now) { return .nothing }
            return .delete
        }
        guard let upload, isRecent(upload.uploadedAt, now) else { return .upload }
        return told == .picture(upload.message.blobID) ? .nothing : .send(upload.message)
    }

    /// A time in the future comes from a clock that was set back, and does not count.
    private static func isRecent(_ time: Timestamp, _ now: Timestamp) -> Bool {
        time <= now && now - time < lifetime
    }
}
