public import Encodings
internal import SecureMemory

// File (0x17, 0x46): a JSON object, UTF-8.
//
//     b  blob ID of the file, 32 hexadecimal digits
//     k  key of file and thumbnail, 64 hexadecimal digits
//     m  media type of the file            s  length of the file in bytes, without the tag
//     n  name                              d  caption
//     t  blob ID of the thumbnail          p  media type of the thumbnail; absent: image/jpeg
//     j  rendering: 0 file, 1 media, 2 sticker
//     i  1 for media, from before there was j
//     c  correlation ID: the messages that were sent together have the same
//     x  about the media: w and h in pixels, a animated, d duration
//
// The key is cut out of the JSON before anything else reads it, and put in as the last step.

/// A file on a media server, with what its receivers are told about it.
public struct FileMessage: Equatable, Sendable {
    /// How the file is shown.
    public enum Rendering: Int64, CaseIterable, Sendable {
        /// As a file with its name.
        case file = 0
        /// As picture, video or sound in the conversation.
        case media = 1
        /// As a picture without a frame.
        case sticker = 2
    }

    /// A small picture of the file.
    public struct Thumbnail: Equatable, Sendable {
        /// The thumbnail's place on the media server, 16 bytes.
        public var blobID: BlobID
        /// The MIME type as the sender says; nil for JPEG.
        public var mediaType: String?

        /// Puts the parts together.
        public init(blobID: BlobID, mediaType: String? = nil) {
            self.blobID = blobID
            self.mediaType = mediaType
        }
    }

    /// The file's place on the media server, 16 bytes.
    public var blobID: BlobID
    /// The key of file and thumbnail, 32 bytes.
    public var key: EnclosedKey
    /// The MIME type as the sender says, such as `image/png`.
    public var mediaType: String
    /// Length in bytes, without the tag; as the sender says.
    public var size: Int64
    /// As the sender says: no path of this machine.
    public var name: String?
    /// Text to show below the file; nil for none.
    public var caption: String?
    /// A small picture of the file.
    public var thumbnail: Thumbnail?
    /// How the file is shown.
    public var rendering: Rendering
    /// The messages that were sent together have the same.
    public var correlationID: String?
    /// About the media: members `w` and `h` in pixels, `a` for animated, `d` for the duration, in order of their names.
    public var metadata: JSONValue?

    private static let limits = JSONScanner.Limits(depth: 8, values: 200)

    /// Puts the parts together.
    public init(
        blobID: BlobID, key: EnclosedKey, mediaType: String, size: Int64, name: String? = nil,
        caption: String? = nil, thumbnail: Thumbnail? = nil, rendering: Rendering = .file,
        correlationID: String? = nil, metadata: JSONValue? = nil
    ) {
        self.blobID = blobID
        self.key = key
        self.mediaType = mediaType
        self.size = size
        self.name = name
        self.caption = caption
        self.thumbnail = thumbnail
        self.rendering = rendering
        self.correlationID = correlationID
        self.metadata = metadata?.sorted
    }

    /// Reads the JSON. Unknown members are skipped; a rendering that is unknown counts as a file.
    /// - Throws: `.json`, or `.member` with the name of a member that is missing or of another type.
    package init(decoding bytes: Span<UInt8>) throws(MessageBodyError) {
        let root: JSONValue
        let keyText: SecureBytes?
        do throws(JSONError) {
            let (value, cuts) = try JSONScanner.parse(bytes, cutting: [["k"]], limits: Self.limits)
            root = value
            if let cut = cuts[0] { keyText = try JSONScanner.unescape(cut, of: bytes) } else { keyText = nil }
        } catch {
            throw .json(error)
        }
        key = try Self.key(keyText)
        blobID = try Self.required("b", root["b"]?.string.flatMap { BlobID(hex: $0) })
        mediaType = try Self.required("m", root["m"]?.string)
        size = try Self.required("s", root["s"]?.integer.flatMap { $0 >= 0 ? $0 : nil })
        name = try Self.text("n", root)
        caption = try Self.text("d", root)
        correlationID = try Self.text("c", root)
        if let text = try Self.text("t", root) {
            let blobID = try Self.required("t", BlobID(hex: text))
            thumbnail = Thumbnail(blobID: blobID, mediaType: try Self.text("p", root))
        } else {
            thumbnail = nil
        }
        if let number = root["j"]?.integer {
            rendering = Rendering(rawValue: number) ?? .file
        } else {
            rendering = root["i"]?.integer == 1 ? .media : .file
        }
        switch root["x"] {
        case nil, .null: metadata = nil
        case .object(let members): metadata = JSONValue.object(members).sorted
        default: throw .member("x")
        }
    }

    private static func key(_ text: borrowing SecureBytes?) throws(MessageBodyError) -> EnclosedKey {
        switch text {
        case .some(let text):
            guard let key = text.withBytes({ EnclosedKey(hex: $0) }) else { throw .member("k") }
            return key
        case .none: throw .member("k")
        }
    }

    private static func required<Value>(_ name: String, _ value: Value?) throws(MessageBodyError) -> Value {
        guard let value else { throw .member(name) }
        return value
    }

    /// A text that may be missing or null.
    private static func text(_ name: String, _ root: JSONValue) throws(MessageBodyError) -> String? {
        switch root[name] {
        case nil, .null: nil
        case .string(let text): text
        default: throw .member(name)
        }
    }
}
