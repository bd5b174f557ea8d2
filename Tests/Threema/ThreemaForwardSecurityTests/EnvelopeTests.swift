import Encodings
import SecureMemory
import Testing
import Threema
import ThreemaMessages

@testable import ThreemaForwardSecurity

@Suite struct EnvelopeTests {
    private static let session = SessionID((0..<16).map { $0 })

    private static let envelopes: [Envelope] = {
        let share = KeyShare(publicKey: [9] + [UInt8](repeating: 0, count: 31), versions: .supported)
        let group = GroupIdentity(creator: try! ThreemaID("000ALICE"), id: GroupID([1, 2, 3, 4, 5, 6, 7, 8]))
        let empty = GroupIdentity(creator: group.creator, id: GroupID([UInt8](repeating: 0, count: 8)))
        var contents: [Envelope.Content] = [.initiate(share), .accept(share)]
        for cause in RejectCause.allCases {
            contents.append(.reject(Rejection(messageID: MessageID(7), cause: cause, group: nil)))
            contents.append(.reject(Rejection(messageID: MessageID(0), cause: cause, group: group)))
        }
        contents += TerminateCause.allCases.map { .terminate($0) }
        for mode in [DHMode.twoDH, .fourDH] {
            for group in [nil, group, empty] {
                contents.append(
                    .encapsulated(
                        Encapsulated(
                            mode: mode, counter: 300, offered: .v1_2, applied: .v1_0, group: group,
                            box: [UInt8](repeating: 5, count: 40))))
            }
        }
        return contents.map { Envelope(session: session, content: $0) }
    }()

    @Test func `each envelope is read as it was written`() throws {
        for envelope in Self.envelopes {
            let bytes = envelope.encoded
            #expect(try Envelope(decoding: bytes.span) == envelope)
        }
    }

    @Test func `no cut or changed envelope ends the process`() throws {
        for envelope in Self.envelopes {
            let bytes = envelope.encoded
            for end in 0..<bytes.count { _ = try? Envelope(decoding: bytes.span.extracting(0..<end)) }
            for index in bytes.indices {
                for value in [bytes[index] ^ 1, bytes[index] ^ 0x80, 0, 0xff] {
                    var changed = bytes
                    changed[index] = value
                    // What is read can be written and read again.
                    guard let read = try? Envelope(decoding: changed.span) else { continue }
                    let again = read.encoded
                    #expect(try Envelope(decoding: again.span) == read)
                }
            }
        }
    }

    private static let prefix = [0x0a, 0x10] + session.bytes

    @Test(arguments: [
        ("nothing", [], EnvelopeError.sessionID(actual: 0)),
        ("a short ID", [0x0a, 0x01, 0x00, 0x2a, 0x00], .sessionID(actual: 1)),
        ("no content", prefix, .noContent),
        ("content of another type", prefix + [0x28, 0x00], .protobuf),
        ("an ID of another type", [0x08, 0x01], .protobuf),
        ("a cut field", prefix + [0x2a, 0x05], .protobuf),
        ("a group", prefix + [0x2b, 0x2c], .protobuf),
        ("no key", prefix + [0x12, 0x00], .publicKey(actual: 0)),
        ("a short key", prefix + [0x12, 0x03, 0x0a, 0x01, 0x09], .publicKey(actual: 1)),
        ("an empty range", prefix + [0x12, 0x08, 0x12, 0x06, 0x08, 0x82, 0x02, 0x10, 0x81, 0x02], .versions),
        ("a version past 16 bits", prefix + [0x12, 0x06, 0x12, 0x04, 0x08, 0x80, 0x80, 0x04], .versions),
        ("DH type 2", prefix + [0x32, 0x02, 0x08, 0x02], .mode(2)),
        ("a counter of another type", prefix + [0x32, 0x02, 0x12, 0x00], .protobuf),
        ("a message ID as varint", prefix + [0x22, 0x02, 0x08, 0x02], .protobuf),
        ("a group without creator", prefix + [0x32, 0x02, 0x32, 0x00], .creator),
    ])
    func `what is not an envelope is refused`(_ name: String, _ bytes: [UInt8], _ error: EnvelopeError) {
        #expect(throws: error, "\(name)") { try Envelope(decoding: bytes.span) }
    }

    @Test func `an envelope longer than a message is refused before it is read`() {
        let bytes = Envelope(session: Self.session, content: .terminate(.reset)).encoded
        // An unknown field: its number, its length in two bytes, and zeros.
        let rest = 8192 - bytes.count - 3
        let field = [0x3a, UInt8(rest & 0x7f) | 0x80, UInt8(rest >> 7)]
        let most = bytes + field + [UInt8](repeating: 0, count: rest)
        #expect(throws: Never.self) { try Envelope(decoding: most.span) }
        let longer = most + [0x40, 0x00]
        #expect(throws: EnvelopeError.tooLong(limit: 8192, actual: 8194)) { try Envelope(decoding: longer.span) }
    }

    private func content(_ bytes: [UInt8]) throws -> Envelope.Content {
        let bytes = Self.prefix + bytes
        return try Envelope(decoding: bytes.span).content
    }

    @Test func `a missing range of versions is 1,0`() throws {
        let key = [UInt8](repeating: 3, count: 32)
        for range in [[], [0x12, 0x00], [0x12, 0x02, 0x08, 0x00]] as [[UInt8]] {
            let fields = [0x0a, 0x20] + key + range
            let content = try content([0x12, UInt8(fields.count)] + fields)
            let only = VersionRange(minimum: .v1_0, maximum: .v1_0)
            #expect(content == .initiate(KeyShare(publicKey: key, versions: only)))
        }
    }

    @Test func `a message of the first version has neither offer nor version`() throws {
        guard case .encapsulated(let old) = try content([0x32, 0x02, 0x10, 0x01]) else { throw Unexpected() }
        #expect(old.offered == .v1_0 && old.applied == .v1_0 && old.mode == .twoDH && old.box.isEmpty)
        // An offer without a version is both.
        guard case .encapsulated(let new) = try content([0x32, 0x03, 0x20, 0x82, 0x02]) else { throw Unexpected() }
        #expect(new.offered == .v1_2 && new.applied == .v1_2 && new.counter == 0)
    }

    @Test func `causes of later versions are the most general ones`() throws {
        #expect(try content([0x2a, 0x02, 0x08, 0x63]) == .terminate(.unknownSession))
        let rejection = Rejection(messageID: MessageID(0), cause: .stateMismatch, group: nil)
        #expect(try content([0x22, 0x02, 0x10, 0x63]) == .reject(rejection))
    }

    @Test func `unknown fields are skipped, and of two contents the last counts`() throws {
        #expect(try content([0x2a, 0x00, 0x38, 0x01, 0x2a, 0x02, 0x08, 0x01]) == .terminate(.reset))
        #expect(try content([0x12, 0x00, 0x2a, 0x02, 0x08, 0x02]) == .terminate(.disabledByLocal))
    }
}

struct Unexpected: Error {}
