internal import Primitives

// The fingerprint of two sides in digits, which later clients show instead of the one in hexadecimal:
//
//   h0     = 0000 ‖ key (33) ‖ stable id
//   hn     = SHA-512(hn-1 ‖ key), 5200 times
//   digits = the first 30 bytes as 6 numbers of 5 bytes, big-endian, modulo 100,000, of 5 digits each
//
// The digits of both sides, the lower ones first: 60.

/// 60 digits that are the same on both sides if each has the other's key.
public struct NumericFingerprint: Hashable, Sendable, CustomStringConvertible {
    /// How many digits there are.
    public static let count = 60
    private static let rounds = 5200

    /// 60 digits.
    public let digits: String

    /// - Parameters:
    ///   - own: one's identity key and what names the person, mostly the number with `+`.
    ///   - peer: the same of the other side.
    public init(own: (key: PublicKey33, id: String), peer: (key: PublicKey33, id: String)) {
        digits = [Self.digits(own.key, own.id), Self.digits(peer.key, peer.id)].sorted().joined()
    }

    /// 12 groups of 5 digits.
    public var description: String {
        let characters = Array(digits)
        return stride(from: 0, to: characters.count, by: 5).map { String(characters[$0..<$0 + 5]) }
            .joined(separator: " ")
    }

    /// Whether somebody has typed or read out the same digits. Blanks, line breaks and hyphens do not count.
    public func matches(_ text: String) -> Bool {
        text.filter { !$0.isWhitespace && $0 != "-" } == digits
    }

    /// One side's half, 30 digits.
    private static func digits(_ key: PublicKey33, _ id: String) -> String {
        var hash = [0, 0] + key.bytes + Array(id.utf8)
        for _ in 0..<rounds {
            let input = hash + key.bytes
            hash = SHA512.hashPublic(input.span)
        }
        return stride(from: 0, to: 30, by: 5).map { start in
            let number = hash[start..<start + 5].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 100_000
            let text = String(number)
            return String(repeating: "0", count: 5 - text.count) + text
        }.joined()
    }
}
