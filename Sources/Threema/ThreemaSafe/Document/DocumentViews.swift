internal import Encodings
internal import SecureMemory

/// The parts of a document as typed views. Each takes time in proportion to the entries of its list.
extension SafeDocument {
    /// The entries of `contacts`, in the order of the document. The owner of the backup is not among them.
    public var contacts: [SafeContact] { (root["contacts"]?.array ?? []).map { SafeContact($0) } }
    /// The entries of `groups`, in the order of the document.
    public var groups: [SafeGroup] { (root["groups"]?.array ?? []).map { SafeGroup($0) } }
    /// The entries of `distributionlists`, in the order of the document.
    public var distributionLists: [SafeDistributionList] {
        (root["distributionlists"]?.array ?? []).map { SafeDistributionList($0) }
    }
    /// The settings; all of them have their default if the document has no `settings`.
    public var settings: SafeSettings { SafeSettings(root["settings"] ?? [:]) }
    /// The linked phone numbers and e-mail addresses, in the order of the document.
    public var links: [SafeLink] { (root["user"]?["links"]?.array ?? []).map { SafeLink($0) } }
    /// Who may see the profile picture.
    public var pictureAudience: PictureAudience { PictureAudience(root["user"]?["profilePicRelease"]) }

    /// Whether the document has a profile picture, readable or not.
    public var hasPicture: Bool { profilePictureCount > 0 }
    /// The bytes of the profile picture; nil if there is none, or if it is not Base64.
    public var picture: [UInt8]? {
        guard let text = root["user"]?["profilePic"]?.string, !text.isEmpty else { return nil }
        return Base64.decode(Array(text.utf8).span)?.revealBytes()
    }
}
