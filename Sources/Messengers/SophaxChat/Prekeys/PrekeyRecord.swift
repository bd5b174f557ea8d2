internal import Encodings
internal import ObservedTime
internal import Ratchet
public import SecureMemory

// The record of prekeys. Numbers are big endian, times are milliseconds.
//
//   offset  length  meaning
//        0       1  2, the form
//        1       8  time that the clock of the store has observed
//        9       8  the wall clock at its last reading
//       17       1  number of signed prekeys, 1 to 10; the last one is the current one
//        …     100  for each: id (4), when made by the wall clock (8) and by that of the store (8), key (32), last-resort
//                   key (32), when replaced by the wall clock (8) and by that of the store (8); both 0 for the current
//                   one
//        …       4  number of ephemeral keys that were seen
//        …      36  for each: number of the signed prekey (4), key (32)
//        …       …  the pool's record
//
// Form 1, which is only read, has no clock: for each of 1 to 8 signed prekeys id (4), when made by the wall clock (8), key
// (32), last-resort key (32), 1 if replaced (1), when by the wall clock (8). Replaced ones get 14 days from the
// latest time in it on.

extension PrekeyStore {
    private static let form: UInt8 = 2
    private static let oldForm: UInt8 = 1
    private static let maxOldSigned = 8
    private static let signedCount = 100
    private static let seenCount = 36

    /// The prekeys as a record. It has all private keys: seal it where it is stored.
    public borrowing func encoded() -> SecureBytes {
        let poolRecord = pool.encoded()
        var clear: [UInt8] = [Self.form]
        clear.appendNumber(clock.sum.milliseconds)
        clear.appendNumber(clock.wall?.milliseconds ?? 0)
        clear.append(UInt8(signed.count))
        var buffer = SecureBuffer(
            capacity: clear.count + Self.signedCount * signed.count + 4 + Self.seenCount * seen.entries.count
                + poolRecord.count)
        buffer.append(clear.span)
        for each in signed {
            clear = []
            clear.appendNumber(each.id)
            clear.append(each.made)
            buffer.append(clear.span)
            buffer.append(each.key.bytes)
            buffer.append(each.lastResort.bytes)
            clear = []
            clear.append(each.replaced ?? ObservedTimestamp(sum: .zero, wall: Timestamp(milliseconds: 0)))
            buffer.append(clear.span)
        }
        clear = []
        clear.appendNumber(UInt32(seen.entries.count))
        for entry in seen.entries {
            clear.appendNumber(entry.prekey)
            clear += entry.key
        }
        buffer.append(clear.span)
        buffer.append(poolRecord)
        return buffer.finish()
    }

    /// Reads a record, also one of form 1.
    /// - Throws: `.malformed`, `.unknownForm`.
    public init(decoding record: Span<UInt8>) throws(StoredRecordError) {
        var reader = RecordReader(record.count)
        let form = record[try reader.take(1).lowerBound]
        let (clock, signed): (ObservedClock, [Signed])
        switch form {
        case Self.form:
            let sum = try record.time(&reader).milliseconds
            clock = ObservedClock(sum: .milliseconds(sum), wall: try record.time(&reader))
            signed = try Self.signed(record, &reader)
        case Self.oldForm:
            signed = try Self.signed(record, &reader, isOld: true)
            // The latest time that is known.
            clock = ObservedClock(wall: signed.flatMap { [$0.made.wall, $0.replaced?.wall ?? $0.made.wall] }.max())
        default:
            throw .unknownForm(form)
        }
        let seenCount = record.number(try reader.take(4))
        guard seenCount <= UInt64(SeenEphemerals.limit) else { throw .malformed }
        var seen = SeenEphemerals()
        for _ in 0..<seenCount {
            let id = UInt32(truncatingIfNeeded: record.number(try reader.take(4)))
            let key = record.extracting(try reader.take(32)).revealBytes()
            guard seen.insert(key, for: id) else { throw .malformed }
        }
        let rest = record.extracting(reader.rest)
        do throws(RecordError) {
            pool = try PrekeyPool(decoding: rest, rules: Self.rules)
        } catch {
            throw StoredRecordError(error)
        }
        self.clock = clock
        self.signed = signed
        self.seen = seen
    }

    private static func signed(
        _ record: Span<UInt8>, _ reader: inout RecordReader, isOld: Bool = false
    ) throws(StoredRecordError) -> [Signed] {
        let count = Int(record[try reader.take(1).lowerBound])
        guard (1...(isOld ? maxOldSigned : maxSigned)).contains(count) else { throw .malformed }
        var signed: [Signed] = []
        for number in 1...count {
            let isCurrent = number == count
            let id = UInt32(truncatingIfNeeded: record.number(try reader.take(4)))
            let made = try isOld ? ObservedTimestamp(sum: .zero, wall: record.time(&reader)) : record.observed(&reader)
            let key = HeldKey(SecureBytes(copying: record.extracting(try reader.take(32))))
            let lastResort = HeldKey(SecureBytes(copying: record.extracting(try reader.take(32))))
            let replaced =
                try isOld
                ? record.oldReplacement(&reader, made: made, isCurrent: isCurrent) : record.observed(&reader)
            guard id != 0, !signed.contains(where: { $0.id == id }) else { throw .malformed }
            signed.append(
                Signed(id: id, made: made, key: key, lastResort: lastResort, replaced: isCurrent ? nil : replaced))
        }
        return signed
    }
}

extension [UInt8] {
    /// The wall clock (8), and that of the store (8).
    fileprivate mutating func append(_ time: ObservedTimestamp) {
        appendNumber(time.wall.milliseconds)
        appendNumber(time.sum.milliseconds)
    }
}

extension Span<UInt8> {
    /// Takes 8 bytes.
    fileprivate func time(_ reader: inout RecordReader) throws(StoredRecordError) -> Timestamp {
        Timestamp(milliseconds: Int64(bitPattern: number(try reader.take(8))))
    }

    /// Takes 16 bytes.
    fileprivate func observed(_ reader: inout RecordReader) throws(StoredRecordError) -> ObservedTimestamp {
        let wall = try time(&reader)
        return ObservedTimestamp(sum: .milliseconds(try time(&reader).milliseconds), wall: wall)
    }

    /// Takes 9 bytes, of form 1. A key that was replaced while the wall clock was behind has no time of that.
    fileprivate func oldReplacement(
        _ reader: inout RecordReader, made: ObservedTimestamp, isCurrent: Bool
    ) throws(StoredRecordError) -> ObservedTimestamp {
        let flag = self[try reader.take(1).lowerBound]
        let wall = try time(&reader)
        guard flag <= 1, !isCurrent || flag == 0 else { throw .malformed }
        return flag == 1 ? ObservedTimestamp(sum: .zero, wall: wall) : made
    }
}
