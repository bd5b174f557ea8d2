internal import Encodings
internal import Ratchet
public import SecureMemory

// The record of a session. Numbers are big-endian.
//
//   offset  length  meaning
//        0       1  1, the form
//        1       1  the version, 2 or 3
//        2       1  1 waits for the first answer, 2 a prekey's id is there, 4 a signed prekey's id is there, 8 the
//                   contact's registration id is there
//        3      33  own identity
//       36      33  the contact's identity
//       69      33  base key
//      102       4  the prekey's id, or 0
//      106       4  the signed prekey's id, or 0
//      110       4  own registration id while it waits, or 0
//      114       4  the contact's registration id, or 0
//      118       …  the ratchet's record

private enum Parts {
    static let pending: UInt8 = 1
    static let prekey: UInt8 = 2
    static let signed: UInt8 = 4
    static let registration: UInt8 = 8
}

extension TextSecureSession {
    private static let form: UInt8 = 1
    private static let headCount = 3 + 3 * PublicKey33.count + 4 * 4

    /// The session as a record, with all of its keys: seal it where it is stored, and let no old one survive.
    public borrowing func encoded() -> SecureBytes {
        let record = ratchet.encoded()
        var buffer = SecureBuffer(capacity: Self.headCount + record.count)
        let ids = pending?.prekeyIDs
        var parts: UInt8 = pending == nil ? 0 : Parts.pending
        if ids?.prekey != nil { parts |= Parts.prekey }
        if ids?.signed != nil { parts |= Parts.signed }
        if peerRegistrationID != nil { parts |= Parts.registration }
        for byte in [Self.form, version.rawValue, parts] + own.bytes + peer.bytes + baseKey.bytes {
            buffer.append(byte)
        }
        for number in [ids?.prekey, ids?.signed, pending?.registrationID, peerRegistrationID] {
            for shift in [24, 16, 8, 0] { buffer.append(UInt8(truncatingIfNeeded: (number ?? 0) >> UInt32(shift))) }
        }
        buffer.append(record)
        return buffer.finish()
    }

    /// Reads a record.
    /// - Throws: `.malformed`; `.unknownVersion` for the record of a later version of this library.
    public init(decoding record: Span<UInt8>) throws(SessionError) {
        guard record.count > Self.headCount else { throw .malformed }
        guard record[0] == Self.form else { throw .unknownVersion }
        // The head has no secret.
        let head = record.extracting(0..<Self.headCount).revealBytes()
        let parts = head[2]
        guard let version = SessionVersion(rawValue: head[1]), parts < 16,
            let own = PublicKey33(Array(head[3..<36])), let peer = PublicKey33(Array(head[36..<69])),
            let baseKey = PublicKey33(Array(head[69..<102]))
        else { throw .malformed }
        func number(_ index: Int, _ flag: UInt8) throws(SessionError) -> UInt32? {
            let start = 102 + 4 * index
            let number = head[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            if parts & flag != 0 { return number }
            guard number == 0 else { throw .malformed }
            return nil
        }
        let ids = PreKeyWhisperMessage.PrekeyIDs(
            prekey: try number(0, Parts.prekey), signed: try number(1, Parts.signed))
        let registrationID = try number(2, Parts.pending)
        let peerRegistrationID = try number(3, Parts.registration)
        guard (registrationID != nil) == (ids.prekey != nil || ids.signed != nil) else { throw .malformed }
        let ratchet: DoubleRatchet
        do {
            ratchet = try DoubleRatchet(
                decoding: record.extracting(Self.headCount..<record.count), suite: version.suite)
        } catch {
            throw .malformed
        }
        // `seal` writes it as a public key.
        guard PublicKey33(point: ratchet.ratchetKey) != nil else { throw .malformed }
        self.init(
            own: own, peer: peer, baseKey: baseKey, peerRegistrationID: peerRegistrationID,
            pending: registrationID.map { Pending(prekeyIDs: ids, registrationID: $0) }, ratchet: ratchet)
    }
}
