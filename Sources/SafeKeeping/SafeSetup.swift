internal import Encodings
internal import SafeWire
internal import SecureMemory
internal import Threema

// The sealed record `safe`:
//
//   offset  length  meaning
//        0       1  version: 1
//        1       n  Protocol Buffers message: field 1, the current target
//
//   target: field 1  the 64-byte Safe master key
//           field 2  the server's address as text
//
// The Safe password is not kept.

/// Where the Safe backup of an identity goes, and its key.
struct SafeSetup: ~Copyable {
    private static let version: UInt8 = 1
    private static let targetField = 1
    private static let keyField = 1
    private static let addressField = 2

    let address: SafeServerAddress
    let keys: SafeKeys

    init(address: SafeServerAddress, keys: consuming SafeKeys) {
        self.address = address
        self.keys = keys
    }

    /// - Throws: `.malformed` for anything but what `encoded` writes.
    init(decoding record: Span<UInt8>) throws(SafeSetupError) {
        guard record.count > 0, record[0] == Self.version else { throw .malformed }
        let targets = try Self.fields([Self.targetField], of: record.extracting(1..<record.count))
        let target = record.extracting(targets[0].lowerBound + 1..<targets[0].upperBound + 1)
        let fields = try Self.fields([Self.keyField, Self.addressField], of: target)
        let text = String(decoding: fields[1].map { target[$0] }, as: UTF8.self)
        guard fields[0].count == SafeKeys.masterKeyCount, let address = try? SafeServerAddress(parsing: text) else {
            throw .malformed
        }
        self.address = address
        keys = SafeKeys(masterKey: SecureBytes(copying: target.extracting(fields[0])))
    }

    func encoded() -> SecureBytes {
        let text = Array(address.text.utf8)
        let targetCount =
            ProtobufWire.encodedCount(number: Self.keyField, count: SafeKeys.masterKeyCount)
            + ProtobufWire.encodedCount(number: Self.addressField, count: text.count)
        var target = SecureBuffer(capacity: targetCount)
        keys.masterKey.withBytes { ProtobufWire.append($0, number: Self.keyField, to: &target) }
        ProtobufWire.append(text.span, number: Self.addressField, to: &target)
        var record = SecureBuffer(
            capacity: 1 + ProtobufWire.encodedCount(number: Self.targetField, count: targetCount))
        record.append(Self.version)
        target.finish().withBytes { ProtobufWire.append($0, number: Self.targetField, to: &record) }
        return record.finish()
    }

    /// Whether both are the same server and key.
    func isSame(as other: borrowing SafeSetup) -> Bool {
        let isSameKey = keys.masterKey.withBytes { key in
            other.keys.masterKey.withBytes { ConstantTime.areEqual(key, $0) }
        }
        return address == other.address && isSameKey
    }

    /// The places of exactly these bytes fields, in this order.
    private static func fields(_ numbers: [Int], of message: Span<UInt8>) throws(SafeSetupError) -> [Range<Int>] {
        var position = 0
        var places: [Range<Int>] = []
        for expected in numbers {
            guard case .bytes(let number, let place)? = try? ProtobufWire.next(message, at: &position),
                number == expected
            else { throw .malformed }
            places.append(place)
        }
        guard position == message.count else { throw .malformed }
        return places
    }
}

enum SafeSetupError: Error {
    case malformed
}
