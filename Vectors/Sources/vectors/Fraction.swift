import Encodings

/// A number of seconds, exactly: decimal, or numerator/denominator.
struct Fraction {
    /// Whether it is below zero.
    let isNegative: Bool
    private let numerator: UInt64
    private let denominator: UInt64

    /// - Throws: `CheckError` if the value is missing, has another form or too many digits.
    init(_ fields: Fields, _ name: String) throws {
        let malformed = CheckError.malformed("\(fields.place) \(name)", "a number of seconds")
        let literal: String
        switch fields[name] {
        case .number(let number)?: literal = number
        case .string(let text)?: literal = text
        case nil: throw CheckError.missing("\(fields.place) \(name)")
        default: throw malformed
        }
        isNegative = literal.hasPrefix("-")
        let parts = literal.drop { $0 == "-" }.split(separator: "/", omittingEmptySubsequences: false)
        let digits = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, digits.count <= 2, let numerator = UInt64(digits.joined()) else { throw malformed }
        var denominator: UInt64 = 1
        for _ in 0..<(digits.count == 2 ? digits[1].count : 0) {
            let (product, isOver) = denominator.multipliedReportingOverflow(by: 10)
            guard !isOver else { throw malformed }
            denominator = product
        }
        if parts.count == 2 {
            guard let below = UInt64(parts[1]), below > 0, denominator == 1 else { throw malformed }
            denominator = below
        }
        (self.numerator, self.denominator) = (numerator, denominator)
        // Both parts of a duration have 64 bits.
        guard numerator / denominator <= Int64.max else { throw malformed }
    }

    /// The duration. What is shorter than an attosecond is cut off.
    var duration: Duration {
        let (seconds, rest) = numerator.quotientAndRemainder(dividingBy: denominator)
        let parts = denominator.dividingFullWidth(rest.multipliedFullWidth(by: 1_000_000_000_000_000_000))
        let duration = Duration(secondsComponent: Int64(seconds), attosecondsComponent: Int64(parts.quotient))
        return isNegative ? .zero - duration : duration
    }

    /// The absolute value in units of 2^-32 seconds; nil if that has more than 64 bits.
    func units(roundingUp: Bool) -> UInt64? {
        let product = numerator.multipliedFullWidth(by: 1 << 32)
        guard product.high < denominator else { return nil }
        let (quotient, remainder) = denominator.dividingFullWidth(product)
        let (next, isOver) = quotient.addingReportingOverflow(roundingUp && remainder > 0 ? 1 : 0)
        return isOver ? nil : next
    }
}
