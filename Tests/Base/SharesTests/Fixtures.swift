import SecureMemory
import Shares
import VectorKit

extension Share {
    init(text: String) throws { self = try Share(ShareWords(text: text)) }

    var text: String { String(decoding: words.text().copied, as: UTF8.self) }
}

extension ShareWords {
    init(text: String) throws { self = try ShareWords(parsing: Array(text.utf8).span) }
}

extension ShareCollection {
    init(_ shares: [Share]) throws {
        self.init()
        for share in shares { _ = try add(share) }
    }

    func joined(_ passphrase: String = "", max exponent: UInt8 = 8) throws -> [UInt8] {
        let passphrase = Array(passphrase.utf8)
        return try join(passphrase: passphrase.span, maxIterationExponent: exponent).copied
    }
}

extension [UInt8] {
    var secret: SecureBytes { SecureBytes(copying: span) }
}

/// A share of 33 words with its words apart.
func sampleWords(isExtendable: Bool = true) throws -> [String] {
    let plan = try SharePlan(
        groupThreshold: 1, groups: [.init(threshold: 2, count: 3)], isExtendable: isExtendable, iterationExponent: 0)
    return try plan.split((0..<32).map { UInt8($0 * 7) }.secret)[0][1].text.split(separator: " ").map(String.init)
}
