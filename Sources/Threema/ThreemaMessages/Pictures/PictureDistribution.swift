package import Encodings
package import Threema

/// Whether a message takes the user's profile picture along (whitepaper, "Profile Pictures").
package enum PictureDistribution {
    /// Who gets to see the picture.
    package enum Audience: Equatable, Sendable {
        case everyone
        case selected(Set<ThreemaID>)
        case nobody
    }

    /// What a contact was told last. A deletion counts for `UploadedPicture.lifetime`.
    package enum Told: Equatable, Sendable {
        case nothing
        case picture(BlobID)
        case deletion(Timestamp)
    }

    /// What to do before or after the message is sent.
    package enum Decision: Equatable, Sendable {
        /// Nothing: this contact knows, or is not to know.
        case nothing
        /// Upload the picture with `Blob.sealPicture`, then decide again.
        case upload
        /// Send a message with this picture.
        case send(PictureMessage)
        /// Tell the contact that there is no picture.
        case delete
    }

    /// What the contact is told along with a message.
    /// - Parameters:
    ///   - type: of the message that the user sends: the `innerType` of its body.
    ///   - hasPicture: whether the user has a picture.
    ///   - upload: the last upload of that picture; nil if it was never uploaded.
    package static func decide(
        with type: MessageType, to contact: ThreemaID, hasPicture: Bool, audience: Audience, upload: UploadedPicture?,
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
            if case .deletion(let time) = told, UploadedPicture.isRecent(time, now) { return .nothing }
            return .delete
        }
        guard let upload, upload.isCurrent(at: now) else { return .upload }
        return told == .picture(upload.message.blobID) ? .nothing : .send(upload.message)
    }
}
