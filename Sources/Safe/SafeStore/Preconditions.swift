internal import Encodings
internal import Primitives

/// The conditions of a write (`If-Match` and `If-None-Match`, RFC 9110, 13.1).
public struct Preconditions: Equatable, Sendable {
    /// A set of entity tags.
    public enum Tags: Equatable, Sendable {
        /// `*`: the tag of any stored backup.
        case any
        /// These tags, with their quotes and without `W/`.
        case these([String])

        fileprivate func contain(_ tag: String) -> Bool {
            switch self {
            case .any: true
            case .these(let tags): tags.contains(tag)
            }
        }
    }

    /// Write only if the stored backup has one of these tags; nil for no condition. Weak tags never match here.
    public var match: Tags?
    /// Write only if there is no backup, or it has none of these tags; nil for no condition.
    public var noneMatch: Tags?

    /// - Parameters:
    ///   - match: nil for no condition.
    ///   - noneMatch: nil for no condition.
    public init(match: Tags? = nil, noneMatch: Tags? = nil) {
        self.match = match
        self.noneMatch = noneMatch
    }

    /// No condition: the write goes ahead, whether or not a backup is stored.
    public static let none = Preconditions()

    /// Whether a write may go ahead.
    /// - Parameter tag: of the stored backup; nil if there is none.
    public func hold(for tag: String?) -> Bool {
        if let match {
            guard let tag, match.contain(tag) else { return false }
        }
        if let noneMatch, let tag, noneMatch.contain(tag) { return false }
        return true
    }
}

/// Strong entity tags (RFC 9110, 8.8.3).
package enum EntityTag {
    /// Bytes of the digest that a tag contains.
    private static let digestBytes = 16

    /// `"` and 32 hexadecimal digits and `"`: the beginning of the SHA-256 of a backup. So all stores and all instances
    /// of a server give a backup the same tag, and a restart does not change it.
    package static func of(_ backup: [UInt8]) -> String {
        "\"" + Hex.encode(Array(SHA256.hash(backup.span).prefix(digestBytes))) + "\""
    }
}
