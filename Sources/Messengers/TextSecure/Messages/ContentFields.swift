internal import Encodings
internal import Ratchet
internal import SecureMemory

// Fields of TextSecure's messages, which are proto2: a field that is written is present, even if it is 0 or empty.
// Unknown fields are skipped, as Protocol Buffers demand. A known field with another wire type is refused, and so is one
// that stands twice and is not a list: two readers could understand it differently.

/// Limits of messages, which are checked before memory is taken.
public enum ContentLimits {
    /// Longest message in bytes.
    public static let count = 1024 * 1024
    /// Most destinations, attachments or members.
    public static let elements = 1000
}

/// Why bytes are not a message.
public enum ContentError: Error, Equatable, Sendable {
    /// More bytes than allowed.
    case tooLong(limit: Int)
    /// More elements of a list than allowed.
    case tooMany(limit: Int)
    /// No Protocol Buffers, or a known field that has another wire type or stands twice.
    case malformed
    /// Text that is not UTF-8.
    case notUnicode
    /// A number that does not fit into its field.
    case numberTooLarge
    /// The key of an attachment has another length than 64 bytes.
    case wrongKeyLength(Int)
}

extension ProtobufWire {
    /// Calls `body` with each field of a message.
    /// - Throws: `.tooLong`, `.malformed`, and what `body` throws.
    static func readContent(
        _ message: Span<UInt8>, _ body: (Field) throws(ContentError) -> Void
    ) throws(ContentError) {
        guard message.count <= ContentLimits.count else { throw .tooLong(limit: ContentLimits.count) }
        var position = 0
        while position < message.count {
            let field: Field?
            do throws(ProtobufError) { field = try next(message, at: &position) } catch { throw .malformed }
            if let field { try body(field) }
        }
    }
}

extension ProtobufWire.Field {
    var number: Int {
        switch self {
        case .varint(let number, _), .bytes(let number, _), .fixed64(let number, _), .fixed32(let number, _): number
        }
    }

    /// Sets a field of type uint64.
    func set(_ value: inout UInt64?) throws(ContentError) {
        guard case .varint(_, let read) = self, value == nil else { throw .malformed }
        value = read
    }

    /// Sets a field of type uint32.
    func set(_ value: inout UInt32?) throws(ContentError) {
        guard case .varint(_, let read) = self, value == nil else { throw .malformed }
        guard let small = UInt32(exactly: read) else { throw .numberTooLarge }
        value = small
    }

    /// Sets a field of type string.
    func set(_ value: inout String?, in message: Span<UInt8>) throws(ContentError) {
        guard value == nil else { throw .malformed }
        value = try text(in: message)
    }

    /// Sets a field of type bytes that is kept in guarded memory.
    func set(_ value: inout HeldKey?, in message: Span<UInt8>) throws(ContentError) {
        let range = try range
        guard value == nil else { throw .malformed }
        value = HeldKey(SecureBytes(copying: message.extracting(range)))
    }

    /// Adds an element to a list.
    func add(to list: inout [String], in message: Span<UInt8>) throws(ContentError) {
        guard list.count < ContentLimits.elements else { throw .tooMany(limit: ContentLimits.elements) }
        list.append(try text(in: message))
    }

    /// The place of a field of type bytes, string or message.
    var range: Range<Int> {
        get throws(ContentError) {
            guard case .bytes(_, let range) = self else { throw .malformed }
            return range
        }
    }

    private func text(in message: Span<UInt8>) throws(ContentError) -> String {
        let bytes = message.extracting(try range)
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: bytes))
        } catch {
            throw .notUnicode
        }
    }
}

/// Writes a message into guarded memory. Fields are written in the order of the calls; nil is not written.
struct ContentWriter: ~Copyable {
    private var buffer = SecureBuffer(capacity: 256)

    mutating func append(_ value: UInt64?, _ number: Int) {
        guard let value else { return }
        reserve(ProtobufWire.encodedCount(number: number, value: value))
        ProtobufWire.append(value, number: number, to: &buffer)
    }

    mutating func append(fixed value: UInt64?, _ number: Int) {
        guard let value else { return }
        reserve(ProtobufWire.fixed64Count(number: number))
        ProtobufWire.appendFixed64(value, number: number, to: &buffer)
    }

    mutating func append(_ bytes: Span<UInt8>, _ number: Int) {
        reserve(ProtobufWire.encodedCount(number: number, count: bytes.count))
        ProtobufWire.append(bytes, number: number, to: &buffer)
    }

    mutating func append(_ text: String?, _ number: Int) {
        guard let text else { return }
        let bytes = Array(text.utf8)
        append(bytes.span, number)
    }

    mutating func append(_ secret: HeldKey?, _ number: Int) {
        guard let secret else { return }
        secret.bytes.withBytes { append($0, number) }
    }

    mutating func append(_ message: borrowing SecureBytes, _ number: Int) {
        message.withBytes { append($0, number) }
    }

    consuming func finish() -> SecureBytes { buffer.finish() }

    private mutating func reserve(_ count: Int) { buffer.reserve(buffer.count + count, limit: .max / 2) }
}
