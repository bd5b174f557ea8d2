public import ThreemaMessages

/// A version of the protocol: the major number in the high byte, the minor one in the low byte.
public struct Version: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Protects texts, locations, files and polls between two people.
    public static let v1_0 = Version(rawValue: 0x0100)
    /// Protects all messages between two people.
    public static let v1_1 = Version(rawValue: 0x0101)
    /// Protects messages of groups, too.
    public static let v1_2 = Version(rawValue: 0x0102)

    /// The number as it is sent: the major version in the high byte, the minor one in the low byte.
    public let rawValue: UInt16

    /// Any number; the peer may be newer than this library.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Whether `left` is older than `right`.
    public static func < (left: Version, right: Version) -> Bool { left.rawValue < right.rawValue }

    /// `1.2`.
    public var description: String { "\(rawValue >> 8).\(rawValue & 0xff)" }
}

/// The versions that one side supports.
public struct VersionRange: Hashable, Sendable {
    /// The versions that this library supports: 1.0 to 1.2.
    public static let supported = VersionRange(minimum: .v1_0, maximum: .v1_2)

    /// The oldest supported version.
    public let minimum: Version
    /// The newest supported version, at least `minimum`.
    public let maximum: Version

    /// - Parameter maximum: at least `minimum`.
    public init(minimum: Version, maximum: Version) {
        precondition(minimum <= maximum)
        self.minimum = minimum
        self.maximum = maximum
    }

    /// The newest version of both sides; nil if they have none in common.
    public func newest(with other: VersionRange) -> Version? {
        let newest = min(maximum, other.maximum)
        return newest >= max(minimum, other.minimum) ? newest : nil
    }
}

extension MessageType {
    /// The oldest version that protects messages of this type; nil for envelopes, and for messages that only one
    /// special sender sends.
    public var minimumVersion: Version? {
        switch self {
        case .text, .location, .file, .pollSetup, .pollVote, .empty: .v1_0
        case .forwardSecurity, .workDelta, .webSessionResume: nil
        case .image, .video, .audio, .setProfilePicture, .deleteProfilePicture, .requestProfilePicture, .callOffer,
            .callAnswer, .callCandidate, .callHangup, .callRinging, .deliveryReceipt, .reaction, .typing, .edit,
            .delete:
            .v1_1
        case .groupText, .groupLocation, .groupImage, .groupVideo, .groupAudio, .groupFile, .groupSetup, .groupName,
            .groupLeave, .groupCallStart, .groupSetPicture, .groupSyncRequest, .groupPollSetup, .groupPollVote,
            .groupDeletePicture, .groupDeliveryReceipt, .groupReaction, .groupEdit, .groupDelete:
            .v1_2
        }
    }
}
