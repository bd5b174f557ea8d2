internal import Encodings
internal import SecureMemory

// Start of a group call (0x4f), after a member container, as Protocol Buffers:
//
//     1  uint32  protocol version
//     2  bytes   call key, 32 bytes
//     3  string  address of the server that forwards the media

/// Tells the members of a group that a call has begun.
public struct GroupCallStart: Equatable, Sendable {
    /// Of the group call protocol; 1 at present.
    public let protocolVersion: UInt32
    /// All keys of the call come from it.
    public let key: EnclosedKey
    /// Where the media goes. It has to be checked against the server's allowed names before anything connects to it.
    public let serverURL: String

    /// Puts the parts together.
    public init(protocolVersion: UInt32, key: EnclosedKey, serverURL: String) {
        self.protocolVersion = protocolVersion
        self.key = key
        self.serverURL = serverURL
    }

    /// - Throws: `.protobuf` if it is malformed or has no key of 32 bytes; `.notUnicode`; `.invalidValue` for a
    ///   version past 32 bits.
    init(decoding bytes: Span<UInt8>) throws(MessageBodyError) {
        var version: UInt64 = 0
        var key: EnclosedKey?
        var url: Range<Int>?
        var position = 0
        do throws(ProtobufError) {
            while let field = try ProtobufWire.next(bytes, at: &position) {
                switch field {
                case .varint(number: 1, let value): version = value
                case .bytes(number: 2, let range):
                    guard range.count == EnclosedKey.count else { throw .malformed }
                    key = EnclosedKey(SecureBytes(copying: bytes.extracting(range)))
                case .bytes(number: 3, let range): url = range
                case .varint(let number, _), .bytes(let number, _), .fixed64(let number, _), .fixed32(let number, _):
                    guard !(1...3).contains(number) else { throw .malformed }
                }
            }
        } catch {
            throw .protobuf
        }
        guard let key else { throw .protobuf }
        guard let number = UInt32(exactly: version) else { throw .invalidValue }
        guard let text = url.map({ bytes.extracting($0).text() }) ?? "" else { throw .notUnicode }
        protocolVersion = number
        self.key = key
        serverURL = text
    }

    func encode(into body: inout BodyWriter) throws(MessageBodyError) {
        let url = Array(serverURL.utf8)
        guard url.count <= MessageLimits.bodyBytes else {
            throw .tooLong(limit: MessageLimits.bodyBytes, actual: url.count)
        }
        let count =
            ProtobufWire.encodedCount(number: 1, value: UInt64(protocolVersion))
            + ProtobufWire.encodedCount(number: 2, count: EnclosedKey.count)
            + ProtobufWire.encodedCount(number: 3, count: url.count)
        var buffer = SecureBuffer(capacity: count)
        // What has its default value is left out.
        if protocolVersion != 0 { ProtobufWire.append(UInt64(protocolVersion), number: 1, to: &buffer) }
        key.bytes.withBytes { ProtobufWire.append($0, number: 2, to: &buffer) }
        if !url.isEmpty { ProtobufWire.append(url.span, number: 3, to: &buffer) }
        let message = buffer.finish()
        try message.withBytes { (bytes) throws(MessageBodyError) in try body.append(bytes) }
    }
}
