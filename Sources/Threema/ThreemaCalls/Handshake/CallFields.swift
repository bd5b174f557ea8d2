internal import Encodings
internal import SecureMemory

/// The fields of a message that is not secret.
struct CallFields {
    /// The last value of each bytes field, by its number.
    private(set) var bytes: [[UInt8]?]
    /// The last value of each varint field, by its number; 0 if it is missing.
    private(set) var numbers: [UInt64]

    /// - Parameter last: the highest number of a known field. Others are ignored.
    init(_ message: Span<UInt8>, _ last: Int) throws(CallMessageError) {
        bytes = [[UInt8]?](repeating: nil, count: last + 1)
        numbers = [UInt64](repeating: 0, count: last + 1)
        var position = 0
        while let field = try Self.next(message, at: &position) {
            switch field {
            case .bytes(let number, let range) where number <= last:
                bytes[number] = message.extracting(range).revealBytes()
            case .varint(let number, let value) where number <= last: numbers[number] = value
            default: break
            }
        }
    }

    static func next(_ message: Span<UInt8>, at position: inout Int) throws(CallMessageError) -> ProtobufWire.Field? {
        do throws(ProtobufError) {
            return try ProtobufWire.next(message, at: &position)
        } catch {
            throw .protobuf
        }
    }
}

/// An envelope: padding as field 1, and one content, whose field number says what it is.
enum CallEnvelope {
    /// Longest envelope that is opened, in bytes, with its boxes.
    static let maxCount = 65_536

    /// The range of the content with this number. Of several contents the last one counts, as in every reader.
    /// - Throws: `.unknownContent` if the content is another one, or missing.
    static func content(of envelope: Span<UInt8>, number: Int) throws(CallMessageError) -> Range<Int> {
        let found = try content(of: envelope)
        guard let found, found.number == number else { throw .unknownContent }
        return found.range
    }

    /// The last content; nil for none.
    static func content(of envelope: Span<UInt8>) throws(CallMessageError) -> (number: Int, range: Range<Int>)? {
        var content: (number: Int, range: Range<Int>)?
        var position = 0
        while let field = try CallFields.next(envelope, at: &position) {
            guard case .bytes(let number, let range) = field, number != 1 else { continue }
            content = (number, range)
        }
        return content
    }
}
