internal import Encodings
package import SecureMemory

// The record of a contact's sessions. Numbers are little-endian.
//
//   offset  length  meaning
//        0       1  1, the form
//        1       8  number of the first message in the outbox
//        9       8  number of the next message
//       17       1  number of sessions: 0, 1 or 2
//       18       …  the sessions, that of the own side first
//
// A session:
//
//        0       1  1 initiator, 2 ephemeral key, 4 2DH chain, 8 4DH chains, 16 Accept waits
//        1      16  ID
//       17       2  version of sent messages
//       19       2  newest version that the contact has offered
//       21       2  oldest version of a received message
//       23       8  time of the last message, Unix milliseconds
//       31       8  number of the Accept, if it waits
//        …      32  private ephemeral key, if it is there
//        …      40  for each chain that is there: key (32), counter (8). The order is 2DH, outgoing, incoming

private let form: UInt8 = 1
private let headerCount = 18

/// The parts of a session that are there.
private struct Parts: OptionSet {
    let rawValue: UInt8

    static let initiator = Parts(rawValue: 1)
    static let ephemeral = Parts(rawValue: 2)
    static let chain2 = Parts(rawValue: 4)
    static let chains4 = Parts(rawValue: 8)
    static let accept = Parts(rawValue: 16)

    /// L20, L44; R20, R24, R44.
    static let states: [Parts] = [
        [.initiator, .ephemeral, .chain2], [.initiator, .chains4],
        [.chain2, .chains4, .accept], [.chain2, .chains4], [.chains4],
    ]
}

extension SessionSet {
    /// Longest record, in bytes.
    static let maxRecordCount = headerCount + 2 * (31 + 8 + 32 + 3 * 40)

    /// The bytes of the record.
    package func encoded() -> SecureBytes {
        var buffer = SecureBuffer(capacity: Self.maxRecordCount)
        buffer.append(form)
        buffer.append(number: unsent.lowerBound, width: 8)
        buffer.append(number: unsent.upperBound, width: 8)
        buffer.append((local.id == nil ? 0 : 1) + (remote.id == nil ? 0 : 1))
        switch local {
        case .some(let session): session.encode(into: &buffer)
        case .none: break
        }
        switch remote {
        case .some(let session): session.encode(into: &buffer)
        case .none: break
        }
        return buffer.finish()
    }

    /// Reads a record.
    /// - Throws: `.unknownForm`, `.malformed`.
    package init(decoding record: Span<UInt8>) throws(RecordError) {
        guard record.count <= Self.maxRecordCount else { throw .malformed }
        var position = 0
        let actual = UInt8(try record.number(1, &position))
        guard actual == form else { throw .unknownForm(actual) }
        let first = try record.number(8, &position)
        let next = try record.number(8, &position)
        guard first <= next, next < UInt64.max else { throw .malformed }
        var local: Session?
        var remote: Session?
        for _ in 0..<(try record.number(1, &position)) {
            let session = try Session(decoding: record, &position)
            if session.isInitiator {
                guard local.id == nil, remote.id == nil else { throw .malformed }
                local = consume session
            } else {
                guard remote.id == nil else { throw .malformed }
                remote = consume session
            }
        }
        guard position == record.count, local.id == nil || local.id != remote.id else { throw .malformed }
        self.init(local: local, remote: remote, unsent: first..<next)
    }
}

extension Session {
    fileprivate func encode(into buffer: inout SecureBuffer) {
        var parts: Parts = isInitiator ? .initiator : []
        if ephemeral != nil { parts.insert(.ephemeral) }
        if chain2 != nil { parts.insert(.chain2) }
        if hasFourDH { parts.insert(.chains4) }
        if acceptNumber != nil { parts.insert(.accept) }
        buffer.append(parts.rawValue)
        buffer.append(id.bytes.span)
        for version in [version, peerOffer, incomingMinimum] {
            buffer.append(number: UInt64(version.rawValue), width: 2)
        }
        buffer.append(number: UInt64(bitPattern: lastSent.milliseconds), width: 8)
        if let acceptNumber { buffer.append(number: acceptNumber, width: 8) }
        switch ephemeral {
        case .some(let key): buffer.append(key)
        case .none: break
        }
        Self.encode(chain2, into: &buffer)
        Self.encode(outgoing4, into: &buffer)
        Self.encode(incoming4, into: &buffer)
    }

    private static func encode(_ chain: borrowing Chain?, into buffer: inout SecureBuffer) {
        switch chain {
        case .some(let chain):
            buffer.append(chain.key)
            buffer.append(number: chain.counter, width: 8)
        case .none: break
        }
    }

    fileprivate init(decoding record: Span<UInt8>, _ position: inout Int) throws(RecordError) {
        let parts = Parts(rawValue: UInt8(try record.number(1, &position)))
        guard Parts.states.contains(parts) else { throw .malformed }
        let id = SessionID(record.extracting(try record.piece(SessionID.count, &position)).revealBytes())
        let version = Version(rawValue: UInt16(try record.number(2, &position)))
        let peerOffer = Version(rawValue: UInt16(try record.number(2, &position)))
        let incomingMinimum = Version(rawValue: UInt16(try record.number(2, &position)))
        let lastSent = Timestamp(milliseconds: Int64(bitPattern: try record.number(8, &position)))
        let acceptNumber = parts.contains(.accept) ? try record.number(8, &position) : nil
        var ephemeral: SecureBytes?
        if parts.contains(.ephemeral) {
            ephemeral = SecureBytes(copying: record.extracting(try record.piece(Chain.keyCount, &position)))
        }
        var chain2: Chain?
        if parts.contains(.chain2) { chain2 = try Chain(decoding: record, &position) }
        var outgoing4: Chain?
        var incoming4: Chain?
        if parts.contains(.chains4) {
            outgoing4 = try Chain(decoding: record, &position)
            incoming4 = try Chain(decoding: record, &position)
        }
        self.init(
            id: id, isInitiator: parts.contains(.initiator), ephemeral: ephemeral, chain2: chain2,
            outgoing4: outgoing4, incoming4: incoming4, acceptNumber: acceptNumber, version: version,
            peerOffer: peerOffer, incomingMinimum: incomingMinimum, lastSent: lastSent)
    }
}

extension Chain {
    fileprivate init(decoding record: Span<UInt8>, _ position: inout Int) throws(RecordError) {
        let key = SecureBytes(copying: record.extracting(try record.piece(Self.keyCount, &position)))
        let counter = try record.number(8, &position)
        guard (Self.firstCounter...Self.maxCounter).contains(counter) else { throw .malformed }
        self.init(key: key, counter: counter)
    }
}

extension SecureBuffer {
    fileprivate mutating func append(number: UInt64, width: Int) {
        for index in 0..<width { append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
    }
}

extension Span where Element == UInt8 {
    /// The range of the next bytes.
    fileprivate func piece(_ width: Int, _ position: inout Int) throws(RecordError) -> Range<Int> {
        guard count - position >= width else { throw .malformed }
        defer { position += width }
        return position..<position + width
    }

    fileprivate func number(_ width: Int, _ position: inout Int) throws(RecordError) -> UInt64 {
        guard count - position >= width else { throw .malformed }
        defer { position += width }
        var number: UInt64 = 0
        for index in 0..<width { number |= UInt64(self[position + index]) << UInt64(8 * index) }
        return number
    }
}

/// Why a record was not read.
public enum RecordError: Error, Equatable, Sendable {
    /// It is of a later version of this library.
    case unknownForm(UInt8)
    case malformed
}
