internal import Age
internal import ProtonMainKey
internal import SecureMemory

// The record `protections`, which holds the whole set, so that it changes at once:
//
//   offset  length  meaning
//        0       1  version, 1
//        1          1 to 4 parts in ascending order of their kinds, each:
//
//        0       1  kind
//        1       4  length n of the content, big endian
//        5       n  content
//
//   kind  content
//      0  the MainKey in the clear, 32 bytes
//      1  an age file with one scrypt recipient, whose content is the MainKey
//      2  an age file with 1 to 20 X25519 recipients, whose content is the MainKey
//      3  these recipients, `age1…`, 62 bytes each: the file of kind 2 does not name them. Only beside kind 2

/// The protections of a MainKey.
struct ProtectionSet: ~Copyable {
    static let version: UInt8 = 1
    /// Most recipients of a key protection.
    static let maxRecipients = 20
    /// Longest age file in it, in bytes. One for 20 recipients has some 2100.
    static let maxFileBytes = 16 * 1024
    private static let headCount = 5
    private static let recipientCount = 62

    /// The key in the clear.
    var clear: MainKey?
    /// The age file under a PIN.
    var pin: [UInt8]?
    /// The age file for others' keys.
    var key: KeyProtection?

    /// An age file and those for whom it is.
    struct KeyProtection: Equatable {
        let recipients: [AgeRecipient]
        let file: [UInt8]
    }

    init() {}

    /// The kinds that are there.
    var kinds: ProtectionKinds {
        var kinds: ProtectionKinds = []
        switch clear {
        case .some: kinds.insert(.clear)
        case .none: break
        }
        if pin != nil { kinds.insert(.pin) }
        if key != nil { kinds.insert(.key) }
        return kinds
    }

    /// - Throws: `.damaged` for anything but the layout above; `.unknownVersion`.
    init(_ record: Span<UInt8>) throws(ProtectionSetError) {
        guard record.count > 0 else { throw .damaged }
        guard record[0] == Self.version else { throw .unknownVersion(record[0]) }
        var offset = 1
        var next: UInt8 = 0
        var recipients: [AgeRecipient]?
        var keyFile: [UInt8]?
        while offset < record.count {
            guard record.count - offset >= Self.headCount else { throw .damaged }
            let kind = record[offset]
            let count = (1...4).reduce(0) { $0 << 8 | Int(record[offset + $1]) }
            let start = offset + Self.headCount
            guard kind >= next, count <= record.count - start, count <= Self.maxFileBytes else { throw .damaged }
            let content = record.extracting(start..<start + count)
            switch kind {
            case 0:
                do throws(MainKeyError) { clear = try MainKey(SecureBytes(copying: content)) } catch { throw .damaged }
            case 1: pin = try Self.file(content, of: .passphrase)
            case 2: keyFile = try Self.file(content, of: .x25519)
            case 3: recipients = try Self.recipients(content)
            default: throw .damaged
            }
            next = kind + 1
            offset = start + count
        }
        if let keyFile, let recipients {
            key = KeyProtection(recipients: recipients, file: keyFile)
        } else if keyFile != nil || recipients != nil {
            throw .damaged
        }
        guard !kinds.isEmpty else { throw .damaged }
    }

    private static func file(_ content: Span<UInt8>, of kind: AgeRecipientKind) throws(ProtectionSetError) -> [UInt8] {
        let bytes = content.revealBytes()
        guard let file = try? AgeFile(bytes, .binary), file.recipientKinds == [kind] else { throw .damaged }
        return bytes
    }

    private static func recipients(_ content: Span<UInt8>) throws(ProtectionSetError) -> [AgeRecipient] {
        guard content.count.isMultiple(of: recipientCount), (1...maxRecipients).contains(content.count / recipientCount)
        else { throw .damaged }
        var recipients: [AgeRecipient] = []
        for start in stride(from: 0, to: content.count, by: recipientCount) {
            let text = content.extracting(start..<start + recipientCount).revealText()
            guard let recipient = try? AgeRecipient(text) else { throw .damaged }
            recipients.append(recipient)
        }
        return recipients
    }

    /// The record, in guarded memory because of the key in the clear.
    borrowing func encoded() -> SecureBytes {
        let recipients = key.map { Array($0.recipients.map(\.description).joined().utf8) }
        var record = SecureBuffer(
            capacity: 1 + 4 * Self.headCount + MainKey.count + (pin?.count ?? 0) + (key?.file.count ?? 0)
                + (recipients?.count ?? 0))
        record.append(Self.version)
        switch clear {
        case .some(let key): key.bytes.withBytes { Self.append(0, $0, to: &record) }
        case .none: break
        }
        if let pin { Self.append(1, pin.span, to: &record) }
        if let key { Self.append(2, key.file.span, to: &record) }
        if let recipients { Self.append(3, recipients.span, to: &record) }
        return record.finish()
    }

    private static func append(_ kind: UInt8, _ content: Span<UInt8>, to record: inout SecureBuffer) {
        record.append(kind)
        for shift in [24, 16, 8, 0] { record.append(UInt8(truncatingIfNeeded: UInt32(content.count) >> UInt32(shift))) }
        record.append(content)
    }
}

/// Why a record is not a set of protections.
enum ProtectionSetError: Error, Equatable {
    case damaged
    case unknownVersion(UInt8)
}
