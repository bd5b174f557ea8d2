/// A profile picture that all apps show: JPEG as they write it themselves (whitepaper, "Profile Pictures").
///
/// It is baseline JPEG, grey or in colours, at most 400 × 400 pixels, without metadata. A picture with EXIF, a comment
/// or a thumbnail is refused and not rewritten: these hold the place where it was taken and may hold the uncropped
/// picture, and EXIF may say that the pixels are to be turned. Only a program that decodes pixels can do that.
public struct ProfilePicture: Equatable, Sendable {
    /// Most pixels in a row or column.
    public static let maxSide = 400
    /// Longest picture in bytes. One that apps write has under 100 KiB.
    public static let maxBytes = 512 * 1024

    /// The bytes of the file.
    public let jpeg: [UInt8]
    /// The width in pixels, as the file says.
    public let width: Int
    /// The height in pixels, as the file says.
    public let height: Int

    /// Checks a picture. The pixels are not decoded.
    /// - Throws: `.tooLong`, `.notJPEG`, `.notBaseline`, `.tooLarge`, `.hasMetadata`; the first that applies.
    public init(jpeg: [UInt8]) throws(ProfilePictureError) {
        guard jpeg.count <= Self.maxBytes else { throw .tooLong(bytes: jpeg.count, limit: Self.maxBytes) }
        guard let structure = JPEGStructure(jpeg.span) else { throw .notJPEG }
        guard structure.isBaseline, structure.precision == 8, [1, 3].contains(structure.components) else {
            throw .notBaseline
        }
        guard (1...Self.maxSide).contains(structure.width), (1...Self.maxSide).contains(structure.height) else {
            throw .tooLarge(width: structure.width, height: structure.height, limit: Self.maxSide)
        }
        guard !structure.hasMetadata else { throw .hasMetadata }
        self.jpeg = jpeg
        (width, height) = (structure.width, structure.height)
    }

    /// The size of any JPEG file in pixels, also of one that is not fit for a profile; nil if it is not JPEG.
    public static func size(of jpeg: [UInt8]) -> (width: Int, height: Int)? {
        JPEGStructure(jpeg.span).map { ($0.width, $0.height) }
    }
}

/// Why a file is not a profile picture.
public enum ProfilePictureError: Error, Equatable, Sendable {
    case tooLong(bytes: Int, limit: Int)
    /// Another format, truncated, or followed by other bytes.
    case notJPEG
    /// Progressive JPEG, or colours for print.
    case notBaseline
    /// Sides in pixels. A height of 0 means that the file does not say it.
    case tooLarge(width: Int, height: Int, limit: Int)
    /// EXIF, a colour profile, a comment or a thumbnail.
    case hasMetadata
}
