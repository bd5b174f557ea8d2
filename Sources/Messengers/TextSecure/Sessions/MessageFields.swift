internal import Encodings
internal import Primitives

/// The fields of a message's protobuf, as far as both messages have them: numbers of 32 bits, and bytes. Of a repeated
/// field the last one counts, and unknown fields are skipped, as protobuf wants it.
struct MessageFields {
    private var numbers: [Int: UInt32] = [:]
    private var pieces: [Int: [UInt8]] = [:]

    /// - Parameters:
    ///   - numbers: the fields that are numbers.
    ///   - bytes: the fields that are bytes.
    /// - Throws: `.malformed` for another form, also of a known field, and for a number above 2³² − 1.
    init(_ message: [UInt8], numbers known: Set<Int>, bytes: Set<Int>) throws(SessionError) {
        var position = 0
        do throws(ProtobufError) {
            while let field = try ProtobufWire.next(message.span, at: &position) {
                switch field {
                case .varint(let number, let value) where known.contains(number):
                    guard let value = UInt32(exactly: value) else { throw .malformed }
                    numbers[number] = value
                case .bytes(let number, let range) where bytes.contains(number):
                    pieces[number] = Array(message[range])
                case .varint(let number, _), .bytes(let number, _), .fixed64(let number, _), .fixed32(let number, _):
                    guard !known.contains(number), !bytes.contains(number) else { throw .malformed }
                }
            }
        } catch {
            throw .malformed
        }
    }

    func number(_ field: Int) -> UInt32? { numbers[field] }

    /// - Throws: `.malformed` if it is missing.
    func bytes(_ field: Int) throws(SessionError) -> [UInt8] {
        guard let bytes = pieces[field] else { throw .malformed }
        return bytes
    }

    /// - Throws: `.malformed`; `.weakKey` for a point of low order.
    func key(_ field: Int) throws(SessionError) -> PublicKey33 {
        let bytes = try bytes(field)
        if let key = PublicKey33(bytes) { return key }
        guard bytes.count == PublicKey33.count, bytes[0] == PublicKey33.type else { throw .malformed }
        throw X25519.isLowOrder(Array(bytes[1...])) ? .weakKey : .malformed
    }
}

/// The first byte of a message: the session's version in the high half, in the low one the highest that its sender
/// speaks.
struct VersionByte {
    let byte: UInt8
    let version: SessionVersion

    init(_ version: SessionVersion) {
        self.version = version
        byte = version.rawValue << 4 | SessionVersion.highest.rawValue
    }

    /// - Throws: `.unknownVersion`.
    init(_ byte: UInt8) throws(SessionError) {
        guard let version = SessionVersion(rawValue: byte >> 4), byte & 0x0f >= version.rawValue else {
            throw .unknownVersion
        }
        self.version = version
        self.byte = byte
    }
}
