internal import Encodings
internal import SecureMemory
internal import Threema
internal import ThreemaMessages

extension Envelope {
    /// Reads an envelope. Unknown fields are skipped, and of a field or content that is repeated the last counts.
    /// - Throws: `EnvelopeError`, in the order of the fields.
    public init(decoding bytes: Span<UInt8>) throws(EnvelopeError) {
        guard bytes.count <= Self.maxCount else { throw .tooLong(limit: Self.maxCount, actual: bytes.count) }
        var session: [UInt8] = []
        var content: (kind: ContentKind, range: Range<Int>)?
        try bytes.forEachField { (number, value) throws(EnvelopeError) in
            if number == 1 {
                session = bytes.extracting(try value.range).revealBytes()
            } else if let kind = ContentKind(rawValue: number) {
                content = (kind, try value.range)
            }
        }
        guard session.count == SessionID.count else { throw .sessionID(actual: session.count) }
        guard let content else { throw .noContent }
        self.init(
            session: SessionID(session),
            content: try Content(content.kind, bytes.extracting(content.range)))
    }
}

/// The numbers of the fields of which an envelope has one.
private enum ContentKind: Int {
    case initiate = 2
    case accept, reject, terminate, encapsulated
}

extension Envelope.Content {
    fileprivate init(_ kind: ContentKind, _ bytes: Span<UInt8>) throws(EnvelopeError) {
        switch kind {
        case .initiate: self = .initiate(try KeyShare(decoding: bytes))
        case .accept: self = .accept(try KeyShare(decoding: bytes))
        case .reject: self = .reject(try Rejection(decoding: bytes))
        case .terminate:
            var cause: UInt64 = 0
            try bytes.forEachField { (number, value) throws(EnvelopeError) in
                if number == 1 { cause = try value.number }
            }
            self = .terminate(TerminateCause(rawValue: cause) ?? .unknownSession)
        case .encapsulated: self = .encapsulated(try Encapsulated(decoding: bytes))
        }
    }
}

extension KeyShare {
    fileprivate init(decoding bytes: Span<UInt8>) throws(EnvelopeError) {
        var publicKey: [UInt8] = []
        var versions = VersionRange(minimum: .v1_0, maximum: .v1_0)
        try bytes.forEachField { (number, value) throws(EnvelopeError) in
            switch number {
            case 1: publicKey = bytes.extracting(try value.range).revealBytes()
            case 2: versions = try VersionRange(decoding: bytes.extracting(try value.range))
            default: break
            }
        }
        guard publicKey.count == Self.count else { throw .publicKey(actual: publicKey.count) }
        self.init(publicKey: publicKey, versions: versions)
    }
}

extension VersionRange {
    fileprivate init(decoding bytes: Span<UInt8>) throws(EnvelopeError) {
        var minimum: Version?
        var maximum: Version?
        try bytes.forEachField { (number, value) throws(EnvelopeError) in
            switch number {
            case 1: minimum = try value.version
            case 2: maximum = try value.version
            default: break
            }
        }
        let (first, last) = (minimum ?? .v1_0, maximum ?? .v1_0)
        guard first <= last else { throw .versions }
        self.init(minimum: first, maximum: last)
    }
}

extension Rejection {
    fileprivate init(decoding bytes: Span<UInt8>) throws(EnvelopeError) {
        var id: UInt64 = 0
        var cause: UInt64 = 0
        var group: GroupIdentity?
        try bytes.forEachField { (number, value) throws(EnvelopeError) in
            switch number {
            case 1: id = try value.fixed64
            case 2: cause = try value.number
            case 3: group = try GroupIdentity(field: bytes.extracting(try value.range))
            default: break
            }
        }
        self.init(
            messageID: MessageID(id), cause: RejectCause(rawValue: cause) ?? .stateMismatch, group: group)
    }
}

extension Encapsulated {
    fileprivate init(decoding bytes: Span<UInt8>) throws(EnvelopeError) {
        var mode: UInt64 = 0
        var counter: UInt64 = 0
        var box = 0..<0
        var offered: Version?
        var applied: Version?
        var group: GroupIdentity?
        try bytes.forEachField { (number, value) throws(EnvelopeError) in
            switch number {
            case 1: mode = try value.number
            case 2: counter = try value.number
            case 3: box = try value.range
            case 4: offered = try value.version
            case 5: applied = try value.version
            case 6: group = try GroupIdentity(field: bytes.extracting(try value.range))
            default: break
            }
        }
        guard let known = DHMode(rawValue: mode) else { throw .mode(mode) }
        // The first version of the protocol had no such fields.
        let offer = offered ?? .v1_0
        self.init(
            mode: known, counter: counter, offered: offer, applied: applied ?? offer, group: group,
            box: bytes.extracting(box).revealBytes())
    }
}

extension GroupIdentity {
    fileprivate init(field bytes: Span<UInt8>) throws(EnvelopeError) {
        var id: UInt64 = 0
        var creator = 0..<0
        try bytes.forEachField { (number, value) throws(EnvelopeError) in
            switch number {
            case 1: id = try value.fixed64
            case 2: creator = try value.range
            default: break
            }
        }
        guard let identity = try? ThreemaID(bytes: bytes.extracting(creator)) else { throw .creator }
        self.init(creator: identity, id: GroupID(MessageID(id).bytes))
    }
}

/// The value of a field.
private enum FieldValue {
    case varint(UInt64)
    case bytes(Range<Int>)
    case fixed64(UInt64)
    case fixed32

    var number: UInt64 {
        get throws(EnvelopeError) {
            guard case .varint(let value) = self else { throw .protobuf }
            return value
        }
    }

    /// Nil for 0, which is the same as a missing field.
    var version: Version? {
        get throws(EnvelopeError) {
            guard let value = UInt16(exactly: try number) else { throw .versions }
            return value == 0 ? nil : Version(rawValue: value)
        }
    }

    var range: Range<Int> {
        get throws(EnvelopeError) {
            guard case .bytes(let range) = self else { throw .protobuf }
            return range
        }
    }

    var fixed64: UInt64 {
        get throws(EnvelopeError) {
            guard case .fixed64(let value) = self else { throw .protobuf }
            return value
        }
    }
}

extension Span where Element == UInt8 {
    /// Calls `body` with number and value of each field.
    fileprivate func forEachField(
        _ body: (Int, FieldValue) throws(EnvelopeError) -> Void
    ) throws(EnvelopeError) {
        var position = 0
        while position < count {
            let field: ProtobufWire.Field?
            do throws(ProtobufError) {
                field = try ProtobufWire.next(self, at: &position)
            } catch {
                throw .protobuf
            }
            switch field {
            case .varint(let number, let value): try body(number, .varint(value))
            case .bytes(let number, let range): try body(number, .bytes(range))
            case .fixed64(let number, let value): try body(number, .fixed64(value))
            case .fixed32(let number, _): try body(number, .fixed32)
            case nil: return
            }
        }
    }
}
