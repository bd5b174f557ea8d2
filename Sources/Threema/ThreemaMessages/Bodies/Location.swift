internal import SecureMemory

// Location (0x10, 0x42): UTF-8 text in one to three lines.
//
//     latitude,longitude[,accuracy]
//     [name]
//     [address]
//
// One line after the coordinates is the address, two are name and address. Line breaks in the address are written as
// the two characters \n, so an address that has these two characters of its own comes back with a line break.

/// A place on the map, which the sender shares.
public struct Location: Equatable, Sendable {
    /// Degrees north, -90...90.
    public let latitude: Double
    /// Degrees east, -180...180.
    public let longitude: Double
    /// Metres around it; nil if unknown.
    public let accuracy: Double?
    /// What the place is called; nil for none.
    public let name: String?
    /// Where it is; may have line breaks.
    public let address: String?

    /// Decimals that are written: a tenth of a metre.
    static let decimals = 6
    private static let largestAccuracy = 1e9

    /// - Throws: `.coordinates` outside of the ranges above or an accuracy not in 0...10⁹; `.lineBreak` in a name;
    ///   `.member("address")` for a name without an address, which the form cannot hold.
    public init(
        latitude: Double, longitude: Double, accuracy: Double? = nil, name: String? = nil, address: String? = nil
    ) throws(MessageBodyError) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude),
            accuracy.map({ (0...Self.largestAccuracy).contains($0) }) ?? true
        else { throw .coordinates }
        if let name, name.utf8.contains(UInt8(ascii: "\n")) { throw .lineBreak }
        guard name == nil || address != nil else { throw .member("address") }
        self.latitude = latitude
        self.longitude = longitude
        self.accuracy = accuracy
        self.name = name
        self.address = address
    }

    init(decoding bytes: Span<UInt8>) throws(MessageBodyError) {
        guard let text = bytes.text() else { throw .notUnicode }
        let lines = Self.lines(text, atMost: 3)
        let numbers = lines[0].split(separator: ",", omittingEmptySubsequences: false)
        guard (2...3).contains(numbers.count), let latitude = Self.number(numbers[0]),
            let longitude = Self.number(numbers[1])
        else { throw .coordinates }
        var accuracy: Double?
        if numbers.count == 3 {
            guard let metres = Self.number(numbers[2]) else { throw .coordinates }
            accuracy = metres
        }
        let address = lines.count > 1 ? Self.unescaped(lines[lines.count - 1]) : nil
        let name = lines.count > 2 ? String(lines[1]) : nil
        try self.init(latitude: latitude, longitude: longitude, accuracy: accuracy, name: name, address: address)
    }

    func encode(into body: inout BodyWriter) throws(MessageBodyError) {
        var text = "\(Self.text(latitude)),\(Self.text(longitude))"
        if let accuracy { text += ",\(Self.text(accuracy))" }
        if let name { text += "\n\(name)" }
        if let address {
            text += "\n" + Self.lines(address, atMost: .max).joined(separator: "\\n")
        }
        try body.append(Array(text.utf8))
    }

    /// The lines of a text. By bytes: to `Character`, CR LF is one character, which is not a line feed.
    private static func lines(_ text: String, atMost count: Int) -> [Substring] {
        text.utf8.split(separator: UInt8(ascii: "\n"), maxSplits: count - 1, omittingEmptySubsequences: false)
            .map { Substring($0) }
    }

    /// A decimal number, also with an exponent; not the other words that `Double` reads, such as `nan` and `0x1p3`.
    private static func number(_ text: Substring) -> Double? {
        guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
        return Double(text)
    }

    /// With six decimals, whatever the size.
    private static func text(_ number: Double) -> String {
        // Below 10^15 in size, so it fits and is exact to the last digit that is written.
        let millionths = Int64((number * 1e6).rounded())
        let digits = String(millionths.magnitude)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        return (millionths < 0 ? "-" : "") + padded.dropLast(decimals) + "." + padded.suffix(decimals)
    }

    private static func unescaped(_ text: Substring) -> String {
        var result = ""
        var isEscape = false
        for scalar in text.unicodeScalars {
            if isEscape {
                result.unicodeScalars.append(contentsOf: scalar == "n" ? ["\n"] : ["\\", scalar])
                isEscape = false
            } else if scalar == "\\" {
                isEscape = true
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return isEscape ? result + "\\" : result
    }
}
