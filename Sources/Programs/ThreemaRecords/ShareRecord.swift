package import Encodings
package import Keystore
internal import SecureMemory
package import Shares
package import Threema

// The record `shares`, integers big endian:
//
//   offset  length  meaning
//        0       1  version, 1
//        1      32  public key of the private key that was shared
//       33          for each set, the newest first:
//       +0       2  identifier
//       +2       1  how many shares are needed, 2 to 16
//       +3       1  how many shares there are, up to 16
//       +4       8  when they were made, in milliseconds since the epoch
//      +12      40  for each share, by its index:
//       +0      32    digest (`Share.digest`)
//      +32       8    when it was last checked, in milliseconds since the epoch; 0 for never

/// What a keystore knows of the shares of an identity: enough to recognise one, and nothing of the key.
package struct ShareRecord: PaperRecord, Equatable, Sendable {
    package static let name: RecordName = .shares

    /// The shares of one split.
    package struct Set: Equatable, Sendable {
        package let identifier: UInt16
        /// How many are needed.
        package let threshold: UInt8
        package let madeAt: Timestamp
        /// By their index.
        package fileprivate(set) var shares: [Entry]

        /// Whether a share is one of these.
        package func has(_ share: Share) -> Bool { shares.contains { $0.digest == share.digest } }
    }

    /// One share.
    package struct Entry: Equatable, Sendable {
        /// 32 bytes.
        fileprivate let digest: [UInt8]
        /// Nil for never.
        package fileprivate(set) var checkedAt: Timestamp?
    }

    /// Most sets whose shares people have; then the oldest is forgotten.
    package static let maxSets = 16
    /// Most sets with those that are on their way, or that a killed command has left.
    private static let mostSets = 32
    private static let version: UInt8 = 1
    private static let headCount = 1 + PublicKey.count
    private static let setCount = 2 + 1 + 1 + 8
    private static let digestCount = 32
    private static let shareCount = digestCount + 8

    package let publicKey: PublicKey
    /// The newest first.
    package private(set) var sets: [Set] = []

    package init(of publicKey: PublicKey) { self.publicKey = publicKey }

    /// Adds a new set, of which nothing was checked. It takes the place of no other one before `forgetOldest`.
    package mutating func add(_ shares: [Share], at now: Timestamp) {
        guard let first = shares.first else { return }
        let entries = shares.map { Entry(digest: $0.digest, checkedAt: nil) }
        sets.insert(
            Set(identifier: first.set.identifier, threshold: first.threshold, madeAt: now, shares: entries), at: 0)
        sets = Array(sets.prefix(Self.mostSets))
    }

    /// Forgets the oldest set if there are too many.
    package mutating func forgetOldest() { sets = Array(sets.prefix(Self.maxSets)) }

    /// Removes the set that these shares are of.
    package mutating func remove(_ shares: [Share]) {
        let digests = shares.map(\.digest)
        sets.removeAll { $0.shares.map(\.digest) == digests }
    }

    /// Remembers that a share was checked.
    /// - Returns: the set that it is of; nil if it is of none.
    package mutating func markChecked(_ share: Share, at now: Timestamp) -> Set? {
        guard let place = place(of: share) else { return nil }
        sets[place.set].shares[place.share].checkedAt = now
        return sets[place.set]
    }

    /// The sets of both, each share with its later check.
    /// - Returns: nil if they are of two private keys.
    package func merged(with other: ShareRecord?) -> ShareRecord? {
        guard let other else { return self }
        guard other.publicKey == publicKey else { return nil }
        var merged = self
        for set in other.sets {
            if let index = sets.firstIndex(where: { $0.shares.map(\.digest) == set.shares.map(\.digest) }) {
                for (share, entry) in set.shares.enumerated() {
                    merged.sets[index].shares[share].checkedAt =
                        [sets[index].shares[share].checkedAt, entry.checkedAt].compactMap { $0 }.max()
                }
            } else {
                merged.sets.append(set)
            }
        }
        merged.sets.sort { $0.madeAt > $1.madeAt }
        merged.forgetOldest()
        return merged
    }

    private func place(of share: Share) -> (set: Int, share: Int)? {
        let digest = share.digest
        for (index, set) in sets.enumerated() {
            if let share = set.shares.firstIndex(where: { $0.digest == digest }) { return (index, share) }
        }
        return nil
    }

    // MARK: The record

    /// - Returns: nil for anything but what `encoded` makes.
    package init?(decoding bytes: Span<UInt8>) {
        guard bytes.count > Self.headCount, bytes[0] == Self.version,
            let key = PublicKey(bytes.extracting(1..<Self.headCount).revealBytes())
        else { return nil }
        publicKey = key
        var offset = Self.headCount
        while offset < bytes.count {
            guard sets.count < Self.mostSets, bytes.count - offset >= Self.setCount else { return nil }
            let (threshold, count) = (bytes[offset + 2], Int(bytes[offset + 3]))
            let end = offset + Self.setCount + count * Self.shareCount
            guard (2...16).contains(threshold), (Int(threshold)...16).contains(count), end <= bytes.count,
                bytes[offset] < 128
            else { return nil }
            let shares = stride(from: offset + Self.setCount, to: end, by: Self.shareCount).map { start in
                let checked = Timestamp(record: bytes, at: start + Self.digestCount)
                return Entry(
                    digest: bytes.extracting(start..<start + Self.digestCount).revealBytes(),
                    checkedAt: checked.milliseconds == 0 ? nil : checked)
            }
            sets.append(
                Set(
                    identifier: UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1]), threshold: threshold,
                    madeAt: Timestamp(record: bytes, at: offset + 4), shares: shares))
            offset = end
        }
    }

    package var encoded: [UInt8] {
        var bytes = [Self.version] + publicKey.bytes
        for set in sets {
            bytes += [UInt8(set.identifier >> 8), UInt8(set.identifier & 0xff), set.threshold, UInt8(set.shares.count)]
            bytes += set.madeAt.recordBytes
            for share in set.shares {
                bytes += share.digest + (share.checkedAt ?? Timestamp(milliseconds: 0)).recordBytes
            }
        }
        return bytes
    }
}

extension RecordName {
    package static let shares: RecordName = "shares"
}
