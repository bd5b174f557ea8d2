/// A digest of 32 bytes: SHA-256 of an encrypted backup, or the keyed digest of a document or a backup id.
package struct Digest: Hashable, Sendable {
    /// Length in bytes.
    package static let count = 32

    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// - Returns: nil for anything but 32 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.count else { return nil }
        func word(_ index: Int) -> UInt64 { bytes[index * 8..<index * 8 + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        words = (word(0), word(1), word(2), word(3))
    }

    /// A digest that stands for a number. No backup has it.
    package init(number: UInt64) { words = (0, 0, 0, number) }

    /// The 32 bytes.
    package var bytes: [UInt8] {
        [words.0, words.1, words.2, words.3].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
        }
    }

    package static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.3)
    }
}
