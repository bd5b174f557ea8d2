internal import Encodings
internal import SecureMemory
internal import SessionStore
internal import Threema
internal import ThreemaMessages

// Times in the store: milliseconds since the epoch, 8 bytes, little-endian.

extension Timestamp {
    static let encodedCount = 8

    /// 8 bytes.
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt64(bitPattern: milliseconds), width: Self.encodedCount)
        return bytes
    }

    /// - Returns: nil for another length.
    init?(decoding bytes: Span<UInt8>) {
        guard bytes.count == Self.encodedCount else { return nil }
        self.init(milliseconds: Int64(bitPattern: bytes.littleEndian(at: 0, width: Self.encodedCount)))
    }
}

extension Mailbox {
    /// - Returns: nil if none is stored.
    func time(_ kind: ValueKind, _ name: [UInt8]) throws -> Timestamp? {
        guard let value = try store.read(kind, name) else { return nil }
        guard let time = value.withBytes({ Timestamp(decoding: $0) }) else {
            throw MailboxError.malformedValue(own.id)
        }
        return time
    }

    func set(_ time: Timestamp, _ kind: ValueKind, _ name: [UInt8], in changes: borrowing Transaction) throws {
        try changes.set(kind, name, time.encoded.span)
    }

    /// Removes the values of a kind whose time is over. One that does not open has no name, and stays.
    func remove(_ kind: ValueKind, where isOver: (_ name: [UInt8]?, Span<UInt8>) throws -> Bool) throws {
        var over: [[UInt8]] = []
        try store.forEach(kind) { name, value in
            if try isOver(name, value), let name { over.append(name) }
        }
        if over.isEmpty { return }
        try store.transaction { changes in for name in over { try changes.remove(kind, name) } }
    }

    /// Whether `earlier` is less than `span` before `time`. A time in the future is from a wrong clock, so it proves nothing.
    func isWithin(_ span: Duration, of earlier: Timestamp?, _ time: Timestamp) -> Bool {
        guard let earlier else { return false }
        return earlier <= time && time - earlier < span
    }
}
