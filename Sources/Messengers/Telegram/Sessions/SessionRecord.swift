internal import SecureMemory

// The stored form of a session, little-endian:
//
//   offset  length  meaning
//        0       1  1, the form
//        1       1  0 client, 1 server
//        2       8  key ID
//       10       8  session ID
//       18       8  current salt
//       26       1  1 if there is a previous salt, else 0; then, zeros without one:
//       27       8  previous salt
//       35       8  when it was replaced
//       43       1  1 if a message was sent, else 0; then, zero without one:
//       44       8  its ID
//       52       4  number of content messages that were sent
//       56       …  the window of received messages (`ReplayWindow`)

private let form: UInt8 = 1
private let headerCount = 56

extension LegacyMTProto1.Session {
    /// The bytes to store. They contain no key, but the salts: seal them where they are stored.
    public var encoded: [UInt8] {
        var bytes = [form, role.rawValue]
        bytes += keyID.bytes
        bytes.append(number: id)
        bytes.append(number: salts.current)
        bytes.append(salts.previous == nil ? 0 : 1)
        bytes.append(number: salts.previous?.salt ?? 0)
        bytes.append(number: salts.previous?.end.number ?? 0)
        bytes.append(lastID == nil ? 0 : 1)
        bytes.append(number: lastID?.number ?? 0)
        bytes.append(number: contentCount)
        return bytes + received.encoded
    }

    /// Reads a stored session. Each session has one stored form only.
    /// - Throws: `.unknownForm`, `.malformed`.
    public init(decoding bytes: Span<UInt8>) throws(SessionRecordError) {
        guard bytes.count > 0 else { throw .malformed }
        guard bytes[0] == form else { throw .unknownForm(bytes[0]) }
        guard bytes.count > headerCount, let role = Role(rawValue: bytes[1]) else { throw .malformed }
        let salt = try Self.optional(bytes, at: 26, zeros: 35)
        let last = try Self.optional(bytes, at: 43, zeros: nil)
        let end = MessageTime(number: bytes.number64(at: 35))
        let contentCount = bytes.number32(at: 52)
        guard contentCount <= Self.maxContentCount else { throw .malformed }
        self.init(
            role, keyID: KeyID(number: bytes.number64(at: 2)), id: bytes.number64(at: 10),
            salts: ServerSalts(
                current: bytes.number64(at: 18), previous: salt.map { ServerSalts.Previous(salt: $0, end: end) }),
            received: try ReplayWindow(decoding: bytes.extracting(headerCount..<bytes.count)))
        lastID = last.map { MessageID($0) }
        self.contentCount = contentCount
    }

    /// A number behind a byte that says if it is there.
    /// - Parameter zeros: where another number is zero, too, if this one is not there.
    private static func optional(
        _ bytes: Span<UInt8>, at offset: Int, zeros: Int?
    ) throws(SessionRecordError) -> UInt64? {
        let number = bytes.number64(at: offset + 1)
        switch bytes[offset] {
        case 0 where number == 0 && zeros.map({ bytes.number64(at: $0) }) ?? 0 == 0: return nil
        case 1: return number
        default: throw .malformed
        }
    }
}
