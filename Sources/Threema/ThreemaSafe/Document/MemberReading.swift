internal import Encodings

// How the views read members. The schema was checked when the document was parsed, so the types are right; values may
// still be out of range, and are then read as if the member were missing.

extension JSONValue {
    /// A string; empty if it is missing or null.
    func text(_ name: String) -> String { self[name]?.string ?? "" }

    /// The strings of a list; empty if it is missing.
    func texts(_ name: String) -> [String] { self[name]?.array?.compactMap(\.string) ?? [] }

    /// A flag, which may also be the string "true" or "false".
    func flag(_ name: String, default value: Bool = false) -> Bool {
        switch self[name] {
        case .bool(let flag): flag
        case .string(let text): text == "true"
        default: value
        }
    }

    /// A time in milliseconds since the epoch, in any spelling of a number. Nil if it is missing, 0, which the apps
    /// write for an unknown time, or outside the years 1970 to 9999.
    func time(_ name: String) -> Timestamp? {
        guard case .number(let literal)? = self[name], literal.utf8.count <= Self.longestTime,
            let value = Double(literal), (1...Self.latestTime).contains(value)
        else { return nil }
        return Timestamp(milliseconds: Int64(value))
    }

    private static var longestTime: Int { 40 }
    /// The last second of the year 9999.
    private static var latestTime: Double { 253_402_300_799_000 }
}
