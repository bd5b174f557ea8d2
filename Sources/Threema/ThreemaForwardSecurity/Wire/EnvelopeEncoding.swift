internal import Encodings
internal import SecureMemory
internal import Threema
internal import ThreemaMessages

extension Envelope {
    /// The bytes of the message's body, byte for byte as the apps write them.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        ProtobufWire.append(session.bytes.span, number: 1, to: &bytes)
        let (number, fields) = content.encoded
        ProtobufWire.append(fields.span, number: number, to: &bytes)
        return bytes
    }
}

extension Envelope.Content {
    fileprivate var encoded: (number: Int, fields: [UInt8]) {
        var fields: [UInt8] = []
        switch self {
        case .initiate(let share): return (2, share.encoded)
        case .accept(let share): return (3, share.encoded)
        case .reject(let rejection):
            if rejection.messageID.value != 0 {
                ProtobufWire.appendFixed64(rejection.messageID.value, number: 1, to: &fields)
            }
            fields.append(number: 2, rejection.cause.rawValue)
            if let group = rejection.group { ProtobufWire.append(group.encoded.span, number: 3, to: &fields) }
            return (4, fields)
        case .terminate(let cause):
            fields.append(number: 1, cause.rawValue)
            return (5, fields)
        case .encapsulated(let message): return (6, message.encoded)
        }
    }
}

extension KeyShare {
    fileprivate var encoded: [UInt8] {
        var range: [UInt8] = []
        range.append(number: 1, UInt64(versions.minimum.rawValue))
        range.append(number: 2, UInt64(versions.maximum.rawValue))
        var fields: [UInt8] = []
        ProtobufWire.append(publicKey.span, number: 1, to: &fields)
        ProtobufWire.append(range.span, number: 2, to: &fields)
        return fields
    }
}

extension Encapsulated {
    fileprivate var encoded: [UInt8] {
        var fields: [UInt8] = []
        fields.append(number: 1, mode.rawValue)
        fields.append(number: 2, counter)
        ProtobufWire.append(box.span, number: 3, to: &fields)
        fields.append(number: 4, UInt64(offered.rawValue))
        fields.append(number: 5, UInt64(applied.rawValue))
        if let group { ProtobufWire.append(group.encoded.span, number: 6, to: &fields) }
        return fields
    }
}

extension GroupIdentity {
    fileprivate var encoded: [UInt8] {
        var fields: [UInt8] = []
        let number = MessageID(bytes: id.bytes.span).value
        if number != 0 { ProtobufWire.appendFixed64(number, number: 1, to: &fields) }
        ProtobufWire.append(creator.bytes.span, number: 2, to: &fields)
        return fields
    }
}

extension [UInt8] {
    /// Appends a field with a number, unless it is 0.
    fileprivate mutating func append(number: Int, _ value: UInt64) {
        if value != 0 { ProtobufWire.append(value, number: number, to: &self) }
    }
}
