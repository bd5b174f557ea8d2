public import Encodings

/// A picture of a person or a group that is on a media server. The servers delete files after two weeks, so an upload
/// is referred to for one week: then receivers have another week to download it.
public struct UploadedPicture: Equatable, Sendable {
    /// How long messages refer to an upload. Afterwards the picture is uploaded again, under another key.
    public static let lifetime = Duration.days(7)

    /// What its receivers are told.
    public let message: PictureMessage
    /// When it was uploaded. For a picture that was received, when its message was made.
    public let uploadedAt: Timestamp

    /// Puts the two together.
    public init(message: PictureMessage, uploadedAt: Timestamp) {
        self.message = message
        self.uploadedAt = uploadedAt
    }

    /// Whether messages may still refer to this upload.
    public func isCurrent(at now: Timestamp) -> Bool { Self.isRecent(uploadedAt, now) }

    /// Whether a time is less than `lifetime` ago. A time in the future comes from a clock that was set back, and does
    /// not count.
    static func isRecent(_ time: Timestamp, _ now: Timestamp) -> Bool { time <= now && now - time < lifetime }
}
