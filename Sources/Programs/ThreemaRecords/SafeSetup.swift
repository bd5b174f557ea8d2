internal import Encodings
package import SafeRules
internal import SafeWire
package import SecureMemory

// The sealed record `safe`:
//
//   offset  length  meaning
//        0       1  version: 1
//        1       n  Protocol Buffers message
//
//   field 1  the current target
//   field 2  the next target: a change of password or place that is not finished
//   field 3  the retiring target: its backup is still to be deleted
//   field 4  empty, present while everything is being deleted
//   field 5  digests of foreign backups whose loss was agreed to with the unfinished change, 32 bytes each
//   field 6  empty, present if the unfinished change is to leave the backup at the old place
//   field 7  empty, present if nothing may be written to the place
//
// Fields stand in this order, each at most once; `SafeTarget` has those of a target.

/// The targets of an identity's Safe backup, and the unfinished part of a change.
package struct SafeSetup: ~Copyable {
    private static let version: UInt8 = 1
    private static let currentField = 1
    private static let nextField = 2
    private static let retiringField = 3
    private static let deletionField = 4
    private static let consentsField = 5
    private static let leavingOldField = 6
    private static let readOnlyField = 7
    private static let maxConsents = 8
    /// Fits one target, or a whole setup, without certificates, in bytes.
    static let usualCount = 1024
    /// Three targets with the longest addresses and certificates, and the rest, in bytes.
    private static let maxCount = 4 * SafeTarget.maxCount

    package private(set) var current: SafeTarget
    package private(set) var next: SafeTarget?
    package private(set) var retiring: SafeTarget?
    /// Whether a deletion has begun and its process has died.
    package private(set) var isDeleting = false
    package private(set) var consents: [Digest] = []
    package private(set) var isLeavingOld = false
    /// Whether nothing may be written to the place, because another device writes it.
    package private(set) var isReadOnly: Bool

    package init(_ current: consuming SafeTarget, isReadOnly: Bool = false) {
        self.current = current
        self.isReadOnly = isReadOnly
        next = nil
        retiring = nil
    }

    /// - Throws: `.malformed` unless `encoded` made the bytes.
    package init(decoding record: Span<UInt8>) throws(SafeSetupError) {
        guard record.count > 0, record[0] == Self.version else { throw .malformed }
        let message = record.extracting(1..<record.count)
        let fields = try Self.fields(of: message)
        let numbers = fields.map(\.number)
        guard numbers.first == Self.currentField, numbers == Set(numbers).sorted(),
            numbers.allSatisfy((Self.currentField...Self.readOnlyField).contains)
        else { throw .malformed }
        let consents = try Self.consents(in: fields, of: message)
        let current = try SafeTarget(decoding: message.extracting(fields[0].place))
        let next = try Self.target(Self.nextField, in: fields, of: message)
        let retiring = try Self.target(Self.retiringField, in: fields, of: message)
        self.current = current
        self.next = next
        self.retiring = retiring
        self.consents = consents
        isDeleting = numbers.contains(Self.deletionField)
        isLeavingOld = numbers.contains(Self.leavingOldField)
        isReadOnly = numbers.contains(Self.readOnlyField)
    }

    private static func consents(
        in fields: [(number: Int, place: Range<Int>)], of message: Span<UInt8>
    ) throws(SafeSetupError) -> [Digest] {
        guard let place = fields.first(where: { $0.number == consentsField })?.place else { return [] }
        let digests = message.extracting(place).revealBytes()
        guard digests.count.isMultiple(of: Digest.count), digests.count <= maxConsents * Digest.count else {
            throw .malformed
        }
        return stride(from: 0, to: digests.count, by: Digest.count).compactMap {
            Digest(Array(digests[$0..<$0 + Digest.count]))
        }
    }

    private static func target(
        _ number: Int, in fields: [(number: Int, place: Range<Int>)], of message: Span<UInt8>
    ) throws(SafeSetupError) -> SafeTarget? {
        guard let field = fields.first(where: { $0.number == number }) else { return nil }
        return try SafeTarget(decoding: message.extracting(field.place))
    }

    package func encoded() -> SecureBytes {
        var bytes = SecureBuffer(capacity: Self.usualCount)
        bytes.append(Self.version)
        append(current, number: Self.currentField, to: &bytes)
        switch next {
        case .some(let next): append(next, number: Self.nextField, to: &bytes)
        case .none: break
        }
        switch retiring {
        case .some(let retiring): append(retiring, number: Self.retiringField, to: &bytes)
        case .none: break
        }
        let empty: [UInt8] = []
        if isDeleting { Self.append(empty.span, number: Self.deletionField, to: &bytes) }
        let digests = consents.suffix(Self.maxConsents).flatMap(\.bytes)
        if !digests.isEmpty { Self.append(digests.span, number: Self.consentsField, to: &bytes) }
        if isLeavingOld { Self.append(empty.span, number: Self.leavingOldField, to: &bytes) }
        if isReadOnly { Self.append(empty.span, number: Self.readOnlyField, to: &bytes) }
        return bytes.finish()
    }

    /// Writes a field of a setup or of one of its targets. The buffer grows if it has to: guarded memory for the
    /// longest addresses and certificates takes longer to lock and to wipe than all else that a push does here.
    static func append(_ field: Span<UInt8>, number: Int, to bytes: inout SecureBuffer) {
        bytes.reserve(
            bytes.count + ProtobufWire.encodedCount(number: number, count: field.count), limit: maxCount)
        ProtobufWire.append(field, number: number, to: &bytes)
    }

    private func append(_ target: borrowing SafeTarget, number: Int, to bytes: inout SecureBuffer) {
        let message = target.encoded()
        message.withBytes { Self.append($0, number: number, to: &bytes) }
    }

    /// Whether the backup at the old target is still to be deleted.
    package var isRetiring: Bool { Self.addressText(of: retiring) != nil }

    /// Whether a change of password or place is not finished, or its old backup not deleted.
    package var isChanging: Bool {
        switch next {
        case .some: true
        case .none: isRetiring
        }
    }

    /// Whether the unfinished change is one of the password: a move to the same address with the same key is refused.
    package var isChangingPassword: Bool { Self.addressText(of: next) == current.address.text }

    /// The servers of all targets: address, and the name of the provisioning file that has it.
    package var servers: [(address: String, onPrem: String?)] {
        var servers = [(current.address.text, current.server.onPrem)]
        switch next {
        case .some(let next): servers.append((next.address.text, next.server.onPrem))
        case .none: break
        }
        switch retiring {
        case .some(let retiring): servers.append((retiring.address.text, retiring.server.onPrem))
        case .none: break
        }
        return servers
    }

    package mutating func makeReadOnly() { isReadOnly = true }

    // MARK: Moves

    /// Moves the targets, and stores the knowledge about the change.
    /// - Parameter candidate: the new place, which is not saved yet.
    package mutating func apply(_ shift: Shift, _ knowledge: Knowledge, candidate: borrowing SafeTarget?) {
        isDeleting = knowledge.isDeleting
        consents = knowledge.consents
        isLeavingOld = knowledge.isLeavingOld
        switch shift {
        case .stay, .forget: break
        case .begin: next = Self.copy(candidate)
        case .complete:
            guard let new = Self.copy(next) else { break }
            retiring = current.copy
            current = new
            next = nil
        case .dropNext: next = nil
        case .dropRetiring: retiring = nil
        case .dropOthers:
            next = nil
            retiring = nil
        case .readdress:
            switch candidate {
            case .some(let candidate): current = current.approached(as: candidate.server.copy)
            case .none: break
            }
        }
    }

    /// The backup is in use again, so it must not be deleted.
    package mutating func endDeletion() { isDeleting = false }

    private static func copy(_ target: borrowing SafeTarget?) -> SafeTarget? {
        switch target {
        case .some(let target): target.copy
        case .none: nil
        }
    }

    package static func addressText(of target: borrowing SafeTarget?) -> String? {
        switch target {
        case .some(let target): target.address.text
        case .none: nil
        }
    }

    /// The bytes fields of a message, in their order.
    static func fields(of message: Span<UInt8>) throws(SafeSetupError) -> [(number: Int, place: Range<Int>)] {
        var position = 0
        var fields: [(number: Int, place: Range<Int>)] = []
        while position < message.count {
            guard case .bytes(let number, let place)? = try? ProtobufWire.next(message, at: &position) else {
                throw .malformed
            }
            fields.append((number, place))
        }
        return fields
    }
}

package enum SafeSetupError: Error {
    case malformed
}
