package import Encodings
internal import Keystore
internal import SecureMemory
package import Threema
internal import ThreemaRecords
package import ThreemaDirectory

// The record `contactstates`, integers big endian:
//
//   offset  length  meaning
//        0       1  version, 1
//        1       8  when all contacts were last asked for, in milliseconds since the epoch; 0 for never
//        9      49  for each identity, in the order of the IDs:
//        +0      8    ID
//        +8      1    bits 0 and 1: the state, as a directory numbers it; bit 2: there is a key; bit 3: acknowledged
//        +9     32    public key, or zeros
//       +41      8    when it was asked for, in milliseconds since the epoch

/// What a directory has said of the contacts of an identity, and of the identity itself. It is a record of its own: the
/// Safe document does not contain it.
package struct ContactStates: Equatable, Sendable {
    /// What it has said of one identity.
    package struct Entry: Equatable, Sendable {
        package let state: IdentityState
        /// Nil if it was revoked, or the directory gave none that can be used.
        package let publicKey: PublicKey?
        package let askedAt: Timestamp
        /// Whether the user knows that it was revoked.
        package fileprivate(set) var isAcknowledged = false
    }

    /// An answer about one identity.
    package struct Answer: Equatable, Sendable {
        package let state: IdentityState
        package let publicKey: PublicKey?
    }

    /// Nothing was asked yet.
    package static let none = ContactStates()

    private var entries: [ThreemaID: Entry] = [:]
    /// When all contacts were last asked for; nil for never.
    package private(set) var allAskedAt: Timestamp?

    private init() {}

    /// - Returns: nil if the directory was not asked for this identity.
    package subscript(_ id: ThreemaID) -> Entry? { entries[id] }

    /// Adds answers. Identities that are no contacts any more are forgotten. An acknowledgement stays as long as the
    /// identity stays revoked.
    /// - Parameters:
    ///   - known: the identity itself and its contacts.
    ///   - isAll: whether all of them were asked for.
    mutating func enter(_ answers: [ThreemaID: Answer], of known: Set<ThreemaID>, isAll: Bool, at now: Timestamp) {
        entries = entries.filter { known.contains($0.key) }
        for (id, answer) in answers where known.contains(id) {
            let isAcknowledged = answer.state == .invalid && entries[id]?.isAcknowledged == true
            entries[id] = Entry(
                state: answer.state, publicKey: answer.publicKey, askedAt: now, isAcknowledged: isAcknowledged)
        }
        if isAll { allAskedAt = now }
    }

    /// The user knows that this contact was revoked.
    /// - Returns: false if no directory has said that it was.
    mutating func acknowledge(_ id: ThreemaID) -> Bool {
        guard entries[id]?.state == .invalid else { return false }
        entries[id]?.isAcknowledged = true
        return true
    }

    // MARK: The record

    private static let version: UInt8 = 1
    private static let headCount = 1 + 8
    private static let entryCount = ThreemaID.count + 1 + PublicKey.count + 8
    private static let (stateBits, keyBit, acknowledgedBit): (UInt8, UInt8, UInt8) = (0b11, 0b100, 0b1000)

    /// - Returns: nil for anything but what `encoded` makes.
    init?(decoding bytes: Span<UInt8>) {
        guard bytes.count >= Self.headCount, (bytes.count - Self.headCount).isMultiple(of: Self.entryCount),
            bytes[0] == Self.version
        else { return nil }
        let asked = Timestamp(record: bytes, at: 1)
        allAskedAt = asked.milliseconds == 0 ? nil : asked
        var last: ThreemaID?
        for start in stride(from: Self.headCount, to: bytes.count, by: Self.entryCount) {
            guard let (id, entry) = Self.entry(bytes.extracting(start..<start + Self.entryCount)),
                last.map({ $0.text < id.text }) ?? true
            else { return nil }
            entries[id] = entry
            last = id
        }
    }

    private static func entry(_ bytes: Span<UInt8>) -> (ThreemaID, Entry)? {
        let flags = bytes[ThreemaID.count]
        let key = bytes.extracting(ThreemaID.count + 1..<entryCount - 8).revealBytes()
        guard let id = try? ThreemaID(bytes: bytes.extracting(0..<ThreemaID.count)),
            let state = IdentityState(rawValue: UInt64(flags & stateBits)),
            flags & ~(stateBits | keyBit | acknowledgedBit) == 0
        else { return nil }
        let publicKey = flags & keyBit == 0 ? nil : PublicKey(key)
        guard publicKey != nil || flags & keyBit == 0 && key.allSatisfy({ $0 == 0 }) else { return nil }
        let isAcknowledged = flags & acknowledgedBit != 0
        guard !isAcknowledged || state == .invalid else { return nil }
        return (
            id,
            Entry(
                state: state, publicKey: publicKey, askedAt: Timestamp(record: bytes, at: entryCount - 8),
                isAcknowledged: isAcknowledged)
        )
    }

    var encoded: [UInt8] {
        var bytes = [Self.version] + (allAskedAt ?? Timestamp(milliseconds: 0)).recordBytes
        for (id, entry) in entries.sorted(by: { $0.key.text < $1.key.text }) {
            let flags =
                UInt8(entry.state.rawValue) | (entry.publicKey == nil ? 0 : Self.keyBit)
                | (entry.isAcknowledged ? Self.acknowledgedBit : 0)
            bytes += id.bytes + [flags]
            bytes += entry.publicKey?.bytes ?? [UInt8](repeating: 0, count: PublicKey.count)
            bytes += entry.askedAt.recordBytes
        }
        return bytes
    }
}

extension RecordName {
    static let contactStates: RecordName = "contactstates"
}

extension IdentityRecords {
    /// - Returns: `.none` if no directory was asked.
    /// - Throws: `KeystoreError.damaged`.
    func contactStates() throws -> ContactStates {
        guard let record = try read(.contactStates) else { return .none }
        guard let states = record.withBytes({ ContactStates(decoding: $0) }) else {
            throw KeystoreError.damaged(record: "contactstates", owner: owner)
        }
        return states
    }
}
