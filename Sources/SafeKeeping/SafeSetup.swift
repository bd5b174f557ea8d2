internal import Encodings
internal import SecureMemory

// The sealed record `safe`:
//
//   offset  length  meaning
//        0       1  version: 1
//        1       n  Protocol Buffers message
//
//   field 1  the current target
//   field 2  the next target: a change of password or server that is not finished
//   field 3  the retiring target: its backup is still to be deleted; never beside a next one
//   field 4  empty, present while everything is being deleted
//
// Fields stand in this order, each at most once; `SafeTarget` has those of a target. That all targets are
// in one record makes each step of a change one rename.

/// Where the Safe backup of an identity goes, and what is left to do of a change.
struct SafeSetup: ~Copyable {
    private static let version: UInt8 = 1
    private static let currentField = 1
    private static let nextField = 2
    private static let retiringField = 3
    private static let deletionField = 4

    let current: SafeTarget
    let next: SafeTarget?
    let retiring: SafeTarget?
    /// Whether a deletion has begun whose process has died.
    let isDeleting: Bool

    /// Whether nothing is left to do.
    var isSettled: Bool { next == nil && retiring == nil && !isDeleting }

    consuming func takeCurrent() -> SafeTarget { current }
    consuming func takeNext() -> SafeTarget? { next }

    /// - Throws: `.malformed` for anything but what `encode` writes.
    init(decoding record: Span<UInt8>) throws(SafeSetupError) {
        guard record.count > 0, record[0] == Self.version else { throw .malformed }
        let message = record.extracting(1..<record.count)
        let fields = try Self.fields(of: message)
        let numbers = fields.map(\.number)
        guard numbers.first == Self.currentField, numbers == Set(numbers).sorted(),
            numbers.allSatisfy((Self.currentField...Self.deletionField).contains)
        else { throw .malformed }
        let current = try SafeTarget(decoding: message.extracting(fields[0].place))
        let next = try Self.target(Self.nextField, in: fields, of: message)
        let retiring = try Self.target(Self.retiringField, in: fields, of: message)
        self.current = current
        self.next = next
        self.retiring = retiring
        isDeleting = numbers.contains(Self.deletionField)
    }

    private static func target(
        _ number: Int, in fields: [(number: Int, place: Range<Int>)], of message: Span<UInt8>
    ) throws(SafeSetupError) -> SafeTarget? {
        guard let field = fields.first(where: { $0.number == number }) else { return nil }
        return try SafeTarget(decoding: message.extracting(field.place))
    }

    /// The record of one target and nothing left to do.
    static func encode(_ current: borrowing SafeTarget) -> SecureBytes {
        Record(current: current).finish()
    }

    /// A record being written; its parts are given in the order of their fields.
    struct Record: ~Copyable {
        private var bytes: SecureBuffer

        init(current: borrowing SafeTarget) {
            // Three targets with the longest addresses and certificates.
            bytes = SecureBuffer(capacity: 4 * SafeTarget.maxCount)
            bytes.append(version)
            append(current, number: currentField)
        }

        mutating func setNext(_ target: borrowing SafeTarget) { append(target, number: nextField) }

        mutating func setNext(ifAny target: borrowing SafeTarget?) {
            switch target {
            case .some(let target): setNext(target)
            case .none: break
            }
        }

        mutating func setRetiring(_ target: borrowing SafeTarget) { append(target, number: retiringField) }

        mutating func setRetiring(ifAny target: borrowing SafeTarget?) {
            switch target {
            case .some(let target): setRetiring(target)
            case .none: break
            }
        }

        mutating func setDeleting() {
            let empty: [UInt8] = []
            ProtobufWire.append(empty.span, number: deletionField, to: &bytes)
        }

        consuming func finish() -> SecureBytes { bytes.finish() }

        private mutating func append(_ target: borrowing SafeTarget, number: Int) {
            let message = target.encoded()
            message.withBytes { ProtobufWire.append($0, number: number, to: &bytes) }
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

enum SafeSetupError: Error {
    case malformed
}
