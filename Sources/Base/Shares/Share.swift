internal import Primitives
internal import SecureMemory

/// What all shares of one split have in common, besides the secret. None of it is secret.
public struct ShareSet: Equatable, Sendable {
    /// A random number of 15 bits, new for each split. Sets of different secrets can have the same one.
    public let identifier: UInt16
    /// Whether the identifier has no part in the sealing of the secret.
    public let isExtendable: Bool
    /// 0 to 15. Joining takes 10,000 · 2^exponent iterations of PBKDF2.
    public let iterationExponent: UInt8
    /// How many groups are needed, 1 to `groupCount`.
    public let groupThreshold: UInt8
    /// How many groups there are, 1 to 16.
    public let groupCount: UInt8
    /// Length of the secret in bytes: an even number, 16 or more.
    public let secretCount: Int
}

/// A part of a secret (SLIP-0039). Fewer than are needed tell nothing of it.
///
/// Values of this type share one copy of the secret part, in guarded memory.
public struct Share: Sendable {
    /// What it was made with.
    public let set: ShareSet
    /// 0 to 15.
    public let group: UInt8
    /// Its place in the group, 0 to 15. People count from 1.
    public let index: UInt8
    /// How many shares of its group are needed, 1 to 16.
    public let threshold: UInt8
    let value: HeldValue

    init(set: ShareSet, group: UInt8, index: UInt8, threshold: UInt8, value: HeldValue) {
        self.set = set
        self.group = group
        self.index = index
        self.threshold = threshold
        self.value = value
    }

    /// Reads the words of a share.
    /// - Throws: `.length`, `.checksum`, `.padding` or `.groups`.
    public init(_ words: borrowing ShareWords) throws(ShareError) {
        guard let count = ShareLayout.secretCount(ofWords: words.count) else { throw .length(words: words.count) }
        if let fault = Checksum.fault(in: words) { throw .checksum(fault) }
        var header: UInt64 = 0
        for index in 0..<ShareLayout.headerWords { header = header << 10 | UInt64(words[index]) }
        func field(_ place: UInt64) -> UInt8 { UInt8(header >> place & 15) }
        set = ShareSet(
            identifier: UInt16(header >> 25), isExtendable: header >> 24 & 1 == 1, iterationExponent: field(20),
            groupThreshold: field(12) + 1, groupCount: field(8) + 1, secretCount: count)
        group = field(16)
        index = field(4)
        threshold = field(0) + 1
        guard set.groupThreshold <= set.groupCount else {
            throw .groups(needed: set.groupThreshold, count: set.groupCount)
        }
        guard let value = ShareLayout.value(of: words, count: count) else { throw .padding }
        self.value = HeldValue(value)
    }

    /// The share as words: 20 for a secret of 16 bytes, 33 for one of 32.
    public var words: ShareWords {
        var header = UInt64(set.identifier) << 1 | (set.isExtendable ? 1 : 0)
        for field in [
            set.iterationExponent, group, set.groupThreshold - 1, set.groupCount - 1, index, threshold - 1,
        ] { header = header << 4 | UInt64(field) }
        var words = ShareWords()
        for place in 0..<UInt64(ShareLayout.headerWords) {
            words.append(UInt16(header >> (30 - 10 * place) & 1023))
        }
        ShareLayout.append(value.bytes, to: &words)
        Checksum.append(to: &words, isExtendable: set.isExtendable)
        return words
    }

    /// SHA-256 of its words' places in the list, two bytes each, big-endian: 32 bytes. Who has it can recognise the
    /// share, and learns nothing else.
    public var digest: [UInt8] { words.withBytes { SHA256.hash($0) } }

    /// Whether both have the same words.
    public func isSame(as other: Share) -> Bool {
        set == other.set && group == other.group && index == other.index && threshold == other.threshold
            && value.isSame(as: other.value)
    }
}
