internal import Encodings
internal import Primitives
internal import Ratchet
internal import SophaxChat

// The plain text of the body's box of version 3, JSON: compact, with sorted names.
//
//   body    Base64 of what was sealed, at most 1 MiB
//   heads   at most 100, each
//             member      whose chain, a peerID
//             chainID     Base64 of 16 bytes
//             iteration   number of the next message on it that the sender waits for
//             hash        Base64 of 32 bytes: the transcript before that message
//
// Other members are ignored. The text is authenticated, and its heads are claims: a member may state anything.

/// What is in the body's box of version 3: the body, and what its sender has seen of the others' chains.
struct GroupContent: Equatable {
    /// Most heads.
    static let maxHeads = 100
    /// Longest text of a head in bytes, with a comma.
    private static let maxHead = 220
    /// Longest text in bytes.
    static let maxCount = 30 + (GroupBoxes.maxBody + 2) / 3 * 4 + maxHeads * maxHead

    let body: [UInt8]
    /// At most 100.
    let heads: [TranscriptView.Head]

    /// - Returns: nil for other bytes.
    init?(parsing bytes: [UInt8]) {
        guard bytes.count <= Self.maxCount, let read = try? Self(Fields(bytes)) else { return nil }
        self = read
    }

    private init(_ fields: Fields) throws(FieldError) {
        guard let values = fields.value["heads"]?.array, values.count <= Self.maxHeads else { throw .field("heads") }
        var heads: [TranscriptView.Head] = []
        for value in values { heads.append(try TranscriptView.Head(Fields(value))) }
        self.init(body: try fields.bytes("body", 0...GroupBoxes.maxBody), heads: heads)
    }

    /// - Parameter heads: those after the first 100 are left out.
    init(body: [UInt8], heads: [TranscriptView.Head]) {
        self.body = body
        self.heads = Array(heads.prefix(Self.maxHeads))
    }

    var encoded: [UInt8] {
        Fields.object([("body", .base64(body)), ("heads", .array(heads.map(\.value)))])
    }
}

extension TranscriptView.Head {
    fileprivate init(_ fields: Fields) throws(FieldError) {
        guard let chain = ChainID(try fields.bytes("chainID", ChainID.count)) else { throw .field("chainID") }
        self.init(
            member: try fields.peer("member"), chain: chain,
            iteration: try fields.integer("iteration", as: UInt32.self), hash: try fields.bytes("hash", SHA256.count))
    }

    fileprivate var value: JSONValue {
        .object(present: [
            ("member", .string(member.description)), ("chainID", .base64(chain.bytes)),
            ("iteration", .number(iteration)), ("hash", .base64(hash)),
        ])
    }
}
