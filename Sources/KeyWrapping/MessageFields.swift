internal import Encodings

/// The fields of a Protocol Buffers message by their numbers. Of one that occurs twice the last counts, and what
/// nobody asks for is ignored, as the specification of Protocol Buffers has it.
struct MessageFields {
    /// Varints; one that is not there is 0.
    private(set) var numbers: [Int: UInt64] = [:]
    /// Places of bytes in the message.
    private(set) var places: [Int: Range<Int>] = [:]

    /// - Throws: `.malformed`.
    init(_ message: Span<UInt8>) throws(KeyFileError) {
        var position = 0
        while let field = try ProtobufWire.field(message, at: &position) {
            switch field {
            case .varint(let number, let value): numbers[number] = value
            case .bytes(let number, let place): places[number] = place
            case .fixed: continue
            }
        }
    }

    func number(_ field: Int) -> UInt64 { numbers[field, default: 0] }
}

extension ProtobufWire {
    /// `next` with the error of this room.
    static func field(_ message: Span<UInt8>, at position: inout Int) throws(KeyFileError) -> Field? {
        do {
            return try next(message, at: &position)
        } catch {
            throw .malformed
        }
    }
}
