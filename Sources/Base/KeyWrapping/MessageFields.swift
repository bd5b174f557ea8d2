internal import Encodings

/// The fields of a Protocol Buffers message by number. If a field is repeated, the last one counts. Unknown fields are
/// ignored, as the specification demands.
package struct MessageFields {
    /// The varints.
    package private(set) var numbers: [Int: UInt64] = [:]
    /// The ranges of bytes fields in the message.
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

    /// A varint; 0 if it is missing.
    package func number(_ field: Int) -> UInt64 { numbers[field, default: 0] }
}

extension ProtobufWire {
    /// Reads the next field, as `next`.
    /// - Throws: `.malformed`.
    static func field(_ message: Span<UInt8>, at position: inout Int) throws(KeyFileError) -> Field? {
        do {
            return try next(message, at: &position)
        } catch {
            throw .malformed
        }
    }
}
