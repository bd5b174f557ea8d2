internal import Encodings

/// The name of an identity: 32 lower-case hexadecimal digits, the first 16 bytes of SHA-256(signing key ‖ DH key).
/// Later versions of the app use 8 bytes in places, so both lengths are read.
///
/// It is a claim until it is compared with the keys: `PublicIdentity.has(_:)`.
public struct PeerID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// How many digits a name may have: the full length, and that of later versions of the app.
    public static let counts = [32, 16]
    /// The 32 or 16 lower-case hexadecimal digits.
    public let description: String

    /// A name in a message, file or record. It is part of what is signed and of names of values, so it has one spelling.
    /// - Parameter text: 32 or 16 lower-case hexadecimal digits; nil for any other text.
    public init?(_ text: String) {
        let digits = text.utf8
        guard Self.counts.contains(digits.count), digits.allSatisfy({ Hex.value($0) != nil && !(65...70).contains($0) })
        else { return nil }
        description = text
    }

    /// A name that a person types.
    /// - Parameter text: 32 or 16 hexadecimal digits in either case; nil for any other text.
    public init?(typed text: String) { self.init(text.lowercased()) }

    /// - Parameter digest: 8 bytes or more.
    init(_ digest: ArraySlice<UInt8>) { description = Hex.encode(Array(digest)) }

    /// Whether `left` comes first in the order of the digits.
    public static func < (left: PeerID, right: PeerID) -> Bool {
        left.description.utf8.lexicographicallyPrecedes(right.description.utf8)
    }

    /// Whether it has 16 digits.
    public var isShort: Bool { description.utf8.count == Self.counts[1] }

    /// Its first 16 digits.
    public var short: PeerID { PeerID(String(description.prefix(Self.counts[1])))! }

    /// Whether both may name one identity: they have the same digits, or one has 16 and the other one begins with them.
    public func matches(_ other: PeerID) -> Bool {
        isShort == other.isShort ? self == other : short == other.short
    }

    /// The digits as bytes.
    package var bytes: [UInt8] { Array(description.utf8) }
}
