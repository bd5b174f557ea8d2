package import SecureMemory

// Bech32 (BIP-173): prefix ‖ "1" ‖ characters of 5 bits each ‖ 6 characters of checksum.
//
// The prefix is printable ASCII, and the last "1" of the text ends it. The checksum covers the prefix in lower case.
// Characters are computed and not looked up, because the bytes may be a private key: a table index would leave traces
// in the processor's cache.

/// Bech32 of BIP-173, without its limit of 90 characters.
package enum Bech32 {
    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let separator = UInt8(ascii: "1")
    private static let checksumCount = 6

    /// The parts of a text.
    package struct Decoded: ~Copyable {
        /// What is before the separator, as it was written: all in lower case, or all in upper case.
        package let prefix: String
        package let data: SecureBytes
    }

    /// - Parameter prefix: printable ASCII, in lower or in upper case. The text has the same case.
    /// - Returns: the text, in guarded memory.
    package static func encode(prefix: String, _ data: Span<UInt8>) -> SecureBytes {
        let isUpper = prefix.utf8.contains { (0x41...0x5a).contains($0) }
        let prefix = Array(prefix.utf8)
        precondition(!prefix.isEmpty && isPrefix(prefix))
        var text = SecureBuffer(capacity: prefix.count + 1 + (data.count * 8 + 4) / 5 + checksumCount)
        text.append(prefix.span)
        text.append(separator)
        var checksum = checksum(of: prefix)
        func append(_ value: UInt32, to text: inout SecureBuffer) {
            checksum = step(checksum, value)
            text.append(character(value, isUpper))
        }
        var (bits, held) = (UInt32(0), 0)
        for index in data.indices {
            bits = (bits << 8 | UInt32(data[index])) & 0xfff
            held += 8
            while held >= 5 {
                held -= 5
                append(bits >> UInt32(held) & 31, to: &text)
            }
        }
        if held > 0 { append(bits << UInt32(5 - held) & 31, to: &text) }
        for _ in 0..<checksumCount { checksum = step(checksum, 0) }
        checksum ^= 1
        for index in (0..<checksumCount).reversed() {
            text.append(character(checksum >> UInt32(5 * index) & 31, isUpper))
        }
        return text.finish()
    }

    /// - Throws: `Bech32Error` if `text` is not the one encoding of a prefix and of whole bytes.
    package static func decode(_ text: Span<UInt8>) throws(Bech32Error) -> Decoded {
        var (hasLower, hasUpper, wrong) = (UInt32(0), UInt32(0), UInt32(0))
        var end = 0
        for index in text.indices {
            let byte = UInt32(text[index])
            hasLower |= ConstantTime.mask(byte, from: 0x61, through: 0x7a)
            hasUpper |= ConstantTime.mask(byte, from: 0x41, through: 0x5a)
            note(index, ~ConstantTime.mask(byte, from: 0x21, through: 0x7e), in: &wrong)
            // No character of the data is the separator.
            if ConstantTime.reveal(ConstantTime.mask(byte, equals: UInt32(separator))) { end = index }
        }
        // Whether a text is one of a key, and in which case it is written, is public.
        try refuse(wrong)
        guard !ConstantTime.reveal(hasLower & hasUpper) else { throw .mixedCase }
        guard end > 0 else { throw .noSeparator }
        let count = text.count - end - 1 - checksumCount
        guard count >= 0 else { throw .tooShort }
        let prefix = text.extracting(first: end).revealBytes()
        var checksum = checksum(of: prefix)
        var data = SecureBuffer(capacity: count * 5 / 8)
        var (bits, held) = (UInt32(0), 0)
        for index in end + 1..<text.count {
            let value = value(of: text[index])
            note(index, value & 32, in: &wrong)
            checksum = step(checksum, value & 31)
            guard index < end + 1 + count else { continue }
            bits = (bits << 5 | value & 31) & 0xfff
            held += 5
            if held >= 8 {
                held -= 8
                data.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
            }
        }
        try refuse(wrong)
        guard !ConstantTime.reveal(checksum ^ 1) else { throw .checksum }
        guard held < 5, !ConstantTime.reveal(bits & (1 << UInt32(held) - 1)) else { throw .padding }
        return Decoded(prefix: String(decoding: prefix, as: UTF8.self), data: data.finish())
    }

    /// Notes the position of the first wrong character, from 1.
    private static func note(_ index: Int, _ isWrong: UInt32, in position: inout UInt32) {
        let isFirst = ~ConstantTime.mask(isWrong & 0xff, equals: 0) & ConstantTime.mask(position, equals: 0)
        position |= isFirst & UInt32(truncatingIfNeeded: index &+ 1)
    }

    private static func refuse(_ wrong: UInt32) throws(Bech32Error) {
        guard ConstantTime.reveal(wrong) else { return }
        throw .character(position: ConstantTime.reveal(count: wrong))
    }

    private static func isPrefix(_ prefix: [UInt8]) -> Bool {
        prefix.allSatisfy { (0x21...0x7e).contains($0) } && !prefix.contains { (0x41...0x5a).contains($0) }
            || prefix.allSatisfy { (0x21...0x7e).contains($0) && !(0x61...0x7a).contains($0) }
    }

    /// The checksum's state after the prefix: the high bits of its characters, a zero, and their low bits.
    private static func checksum(of prefix: [UInt8]) -> UInt32 {
        let lower = prefix.map { (0x41...0x5a).contains($0) ? $0 + 0x20 : $0 }
        let values = lower.map { UInt32($0 >> 5) } + [0] + lower.map { UInt32($0 & 31) }
        return values.reduce(1, step)
    }

    /// BIP-173's `bech32_polymod`, one value.
    private static func step(_ checksum: UInt32, _ value: UInt32) -> UInt32 {
        let top = checksum >> 25
        let next = (checksum & 0x1ff_ffff) << 5 ^ value
        return next ^ (0 &- (top & 1)) & 0x3b6a_57b2 ^ (0 &- (top >> 1 & 1)) & 0x2650_8e6d
            ^ (0 &- (top >> 2 & 1)) & 0x1ea1_19fa ^ (0 &- (top >> 3 & 1)) & 0x3d42_33dd
            ^ (0 &- (top >> 4 & 1)) & 0x2a14_62b3
    }

    private static func character(_ value: UInt32, _ isUpper: Bool) -> UInt8 {
        let lower = ConstantTime.element(value, of: alphabet.span)
        // Bit 6 is set in letters and not in digits; bit 5 is the case.
        return lower & ~(isUpper ? lower >> 1 & 0x20 : 0)
    }

    /// 0...31; 32 if the character is not of the alphabet.
    private static func value(of character: UInt8) -> UInt32 {
        // Letters in lower case: bit 6 is moved to bit 5.
        let character = UInt32(character | character >> 1 & 0x20)
        var found: UInt32 = 32
        for index in alphabet.indices {
            let isSame = ConstantTime.mask(UInt32(alphabet[index]), equals: character)
            found = found & ~isSame | UInt32(truncatingIfNeeded: index) & isSame
        }
        return found
    }
}

/// Why a text was not read as Bech32.
package enum Bech32Error: Error, Equatable, Sendable {
    /// It has no "1", or nothing before it.
    case noSeparator
    /// Lower and upper case are mixed.
    case mixedCase
    /// A character that cannot stand there; the position counts from 1.
    case character(position: Int)
    /// Fewer than the six characters of the checksum are behind the separator.
    case tooShort
    /// A character is wrong or missing, or two are exchanged.
    case checksum
    /// The last character has bits of no byte.
    case padding
}
