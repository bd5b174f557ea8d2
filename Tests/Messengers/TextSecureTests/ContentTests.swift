import SecureMemory
import Testing
import VectorKit

@testable import TextSecure

@Suite struct ContentTests {
    static let vectors = try! Vector.all(in: .textSecureFormats, op: "push-message-content")

    @Test(arguments: vectors) func `messages of the vectors`(_ vector: Vector) throws {
        let body = vector.inputs.has("body") ? try vector.inputs.string("body") : nil
        let pointers = try vector.inputs.string("attachments").split(separator: ";").map { text in
            let parts = text.split(separator: ",").map(String.init)
            return AttachmentPointer(
                id: UInt64(parts[0]), contentType: parts[1], key: AttachmentKey(try secure(hex(parts[2]))))
        }
        let bytes = try vector.expected.bytes("protobuf")
        #expect(PushMessageContent(body: body, attachments: pointers).encoded().copied == bytes)
        let read = try PushMessageContent(parsing: bytes.span)
        #expect(read.body == body)
        #expect(read.attachments.map(\.id) == pointers.map(\.id))
        #expect(read.attachments.map(\.contentType) == pointers.map(\.contentType))
        #expect(read.attachments.map { $0.key?.held.bytes.copied } == pointers.map { $0.key?.held.bytes.copied })
        #expect(read.encoded().copied == bytes)
    }

    /// Of Python's protobuf 3.20.3.
    @Test(arguments: [
        // Nothing; an empty body; flags 0; a group without fields.
        "", "0a00", "2000", "1a00",
        // A body, and a group with id 0102, type 1, name G, two members and an avatar with id 2^63.
        "0a0268691a300a02010210011a0147220c2b3132303235353530313233220c2b3132303235353530"
            + "3132342a090900000000000000802001",
        // An attachment with an empty type.
        "12021200",
    ]) func `what is written stays written`(_ text: String) throws {
        let bytes = try hex(text)
        #expect(try PushMessageContent(parsing: bytes.span).encoded().copied == bytes)
    }

    @Test func `groups and flags`() throws {
        let bytes = try hex("1a040a02010210032a0020012801")
        let fixed = try hex("1a060a0201021003" + "2001" + "2801" + "ea0703010203")
        #expect(throws: ContentError.malformed) { _ = try PushMessageContent(parsing: bytes.span) }
        let read = try PushMessageContent(parsing: fixed.span)
        #expect(read.group?.id == [1, 2])
        #expect(read.group?.kind == .quit)
        #expect(read.endsSession)
        // Unknown fields 5 and 125 are skipped.
        #expect(read.encoded().copied == Array(fixed[..<10]))
    }

    @Test(
        arguments: [
            ("0a01ff", ContentError.notUnicode), ("0a05", .malformed), ("0801", .malformed), ("0a000a00", .malformed),
            ("208080808010", .numberTooLarge), ("12031a0100", .wrongKeyLength(1)), ("12020801", .malformed),
            ("1a001a00", .malformed), ("0b", .malformed), ("00", .malformed),
            ("09000000000000", .malformed),
        ] as [(String, ContentError)]) func `refused messages`(_ text: String, _ error: ContentError) throws
    {
        let bytes = try hex(text)
        #expect(throws: error) { _ = try PushMessageContent(parsing: bytes.span) }
    }

    @Test func limits() {
        let long = [UInt8](repeating: 0, count: ContentLimits.count + 1)
        #expect(throws: ContentError.tooLong(limit: ContentLimits.count)) {
            _ = try PushMessageContent(parsing: long.span)
        }
        let many = [[UInt8]](repeating: [0x12, 0], count: ContentLimits.elements + 1).flatMap(\.self)
        #expect(throws: ContentError.tooMany(limit: ContentLimits.elements)) {
            _ = try PushMessageContent(parsing: many.span)
        }
        let destinations = [[UInt8]](repeating: [0x22, 0], count: ContentLimits.elements + 1).flatMap(\.self)
        #expect(throws: ContentError.tooMany(limit: ContentLimits.elements)) {
            _ = try IncomingPushSignal(parsing: destinations.span)
        }
    }

    @Test func `an envelope with explicit zeros`() throws {
        let bytes = try hex("0800120c2b31323032353535303132332800")
        let signal = try IncomingPushSignal(parsing: bytes.span)
        #expect(signal.type == 0 && signal.source == "+12025550123" && signal.timestamp == MessageTime(0))
        #expect(signal.message == nil && signal.relay == nil && signal.sourceDevice == nil)
        #expect(signal.encoded().copied == bytes)
        let empty: [UInt8] = []
        #expect(try IncomingPushSignal(parsing: empty.span).type == nil)
        let device = try hex("3200" + "3807")
        let read = try IncomingPushSignal(parsing: device.span)
        #expect(read.sourceDevice == 7 && read.message?.bytes.count == 0)
        #expect(read.encoded().copied == device)
    }

    @Test func `plain text never counts as encrypted`() {
        let kinds = [nil, 0, 4, 1, 3, 2, 5, UInt32.max].map { IncomingPushSignal(type: $0).kind }
        #expect(
            kinds == [
                .plainText, .plainText, .plainText, .whisper, .prekeyWhisper, .keyExchange, .unknown(5), .unknown(.max),
            ])
        #expect(kinds.map(\.isEncrypted) == [false, false, false, true, true, false, false, false])
    }

    @Test func `seconds and milliseconds`() {
        #expect(!MessageTime(100_000_000_000).isSeconds)
        #expect(MessageTime(99_999_999_999).isSeconds)
        #expect(MessageTime(1_393_000_000).timestamp?.milliseconds == 1_393_000_000_000)
        #expect(MessageTime(1_393_000_000_123).timestamp?.milliseconds == 1_393_000_000_123)
        #expect(MessageTime(.max).timestamp == nil)
    }
}
