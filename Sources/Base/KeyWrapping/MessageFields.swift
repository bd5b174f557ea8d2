internal import Encodings

/// The fields of a Protocol Buffers message by their numbers. Of one that occurs twice the last counts, and what
/// nobody asks for is ignored, as the specification of Protocol Buffers has it.
package struct MessageFields {
    /// Varints; one that is not there is 0.
    package private(set) var numbers: [Int: UInt64] = [:]
    /// Places of bytes in the message.
    package private(set) var places: [Int: Range<Int>] = [:]

    /// - Throws: `.malformed`.
    package init(_ message: Span<UInt8>) throws(KeyFileError) {
        var position = 0
        while let field = try ProtobufWire.field(message, at: &position) {
            switch field {
            case .varint(let number, let value): numbers[number] = value
            case .bytes(let number, let place): places[number] = place
            case .fixed64, .fixed32: continue
            }
        }
    }

    /// A varint; 0 if it is not there.
    package func number(_ field: Int) -> UInt64 { numbers[field, default: 0] }
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
