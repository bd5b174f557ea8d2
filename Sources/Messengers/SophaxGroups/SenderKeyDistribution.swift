internal import Encodings
internal import Primitives
public import Ratchet
public import SophaxChat
public import SecureMemory

// The plain text of a message between two that gives a group's chain ("senderKeyDistribution"), JSON:
//
//   groupID     the group's name, 1 to 255 bytes
//   chainKey    Base64 of 32 bytes
//   iteration   number of the first message that the key opens
//
// and in version 3 also:
//
//   v           3
//   chainID     Base64 of 16 bytes
//   generation  how many chains the sender has had before
//   transcript  Base64 of 32 bytes
//
// The old form has no v. Other members are ignored in both.

/// A group's chain as its sender gives it, in either form.
public enum SenderKeyDistribution: Sendable {
    /// Longest text in bytes.
    public static let maxCount = 4096

    /// With chain, generation and transcript.
    case version3(GroupDistribution)
    /// Of an app that knows chains by their keys only.
    case old(group: String, key: HeldKey, iteration: UInt32)

    static let key = "chainKey"

    /// Reads a distribution.
    /// - Throws: `.malformed`, also for a text of more than 4096 bytes; `.field`, with `v` for another version.
    public init(parsing text: Span<UInt8>) throws(FieldError) {
        guard text.count <= Self.maxCount else { throw .malformed }
        let (rest, place) = try ChainKeyText.cut(text, Self.key)
        guard let place else { throw rest.members == nil ? .malformed : .field(Self.key) }
        self = try Self.read(Fields(rest), ChainKeyText.key(at: place, in: text, Self.key))
    }

    private static func read(_ fields: Fields, _ key: HeldKey) throws(FieldError) -> SenderKeyDistribution {
        guard fields.has("v") else {
            return .old(group: try fields.group(), key: key, iteration: try fields.iteration())
        }
        return .version3(try GroupDistribution(fields, key))
    }
}

extension GroupDistribution {
    /// - Parameter key: 32 bytes.
    init(_ fields: Fields, _ key: HeldKey) throws(FieldError) {
        guard try fields.integer("v", as: Int.self) == 3 else { throw .field("v") }
        guard let chain = ChainID(try fields.bytes("chainID", ChainID.count)) else { throw .field("chainID") }
        self.init(
            group: try fields.group(),
            chain: ChainDistribution(
                chain: chain, generation: try fields.integer("generation", as: UInt32.self),
                number: try fields.iteration(), key: key),
            transcript: try fields.bytes("transcript", SHA256.count))
    }

    /// As JSON: compact, with sorted names. It is secret: seal it in the session with the member.
    public func encoded() -> SecureBytes {
        ChainKeyText.encoded(
            [
                ("v", 3), ("groupID", .string(group)), ("iteration", .number(chain.number)),
                ("chainID", .base64(chain.chain.bytes)), ("generation", .number(chain.generation)),
                ("transcript", .base64(transcript)),
            ], SenderKeyDistribution.key, chain.key)
    }
}

extension Fields {
    fileprivate func group() throws(FieldError) -> String { try text("groupID", 1...GroupPlace.maxGroup) }

    fileprivate func iteration() throws(FieldError) -> UInt32 { try integer("iteration", as: UInt32.self) }
}
