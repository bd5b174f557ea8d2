/// Why words are no share. Words are named by their number, from 1, never by themselves.
public enum ShareError: Error, Equatable, Sendable {
    /// The word is not in the list.
    case unknownWord(number: Int)
    /// No share has so many words. Most have 20 or 33.
    case length(words: Int)
    /// The words do not have their checksum.
    case checksum(ChecksumFault)
    /// The checksum is right, and bits that have to be zero are not.
    case padding
    /// The checksum is right, and more groups are needed than there are.
    case groups(needed: UInt8, count: UInt8)
}

/// What a wrong checksum says. That three words or fewer are wrong is always noticed, unless one of them turns the flag
/// that says whether the set is extendable: then about one error in 2³⁰ is not.
public enum ChecksumFault: Equatable, Sendable {
    /// Probably this word alone is wrong. If more are, this is said once in 30,000 times.
    case word(number: Int)
    /// Probably this word and the one behind it changed places.
    case swapped(number: Int)
    /// More than one word is wrong.
    case several
}

/// Why a secret cannot be shared.
public enum SharePlanError: Error, Equatable, Sendable {
    /// More are needed than there are, or there are none, more than 16, or several with a threshold of one, which would
    /// be equal.
    case threshold(UInt8, of: Int)
    /// 0 to 15 are allowed.
    case iterationExponent(UInt8)
    /// An even number of bytes, 16 to 256, is allowed.
    case secretCount(Int)
    /// The new shares do not join to the secret: a defect. They were discarded.
    case notReproduced
    /// The passphrase has other characters than those of ASCII from the blank to the tilde.
    case passphrase
}

/// Why shares do not join.
public enum ShareJoinError: Error, Equatable, Sendable {
    /// The share is of another split than those before it.
    case otherSet
    /// The share and one before it have the same place in the set, and different words.
    case sameIndex(group: UInt8, index: UInt8)
    /// Shares of one group disagree on how many of them are needed.
    case otherThreshold(group: UInt8)
    /// Shares are missing.
    case missing
    /// A share more than needed does not belong to the others, although it says so.
    case stray(group: UInt8, index: UInt8)
    /// The shares do not belong together, although they say so.
    case digest
    /// To join them takes 10,000 · 2^exponent iterations, more than the caller allows.
    case tooCostly(exponent: UInt8)
    /// The passphrase has other characters than those of ASCII from the blank to the tilde.
    case passphrase
}
