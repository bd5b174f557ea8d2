import Encodings

/// A step of a transcript: a message is sent, or one that was sent is delivered.
struct TranscriptStep {
    let kind: Kind
    /// What is stated of it.
    let fields: Fields

    enum Kind {
        case sending(isAlice: Bool)
        /// To the named side; nil if none is named.
        case delivery(Place, toAlice: Bool?)
    }

    /// Which message is delivered.
    enum Place {
        /// The oldest one on its way.
        case next
        /// The one with this name, and the member that says so.
        case id(String, member: String)
        /// The one with this number among all that are sent, from 0, and the member that says so.
        case number(Int, member: String)
    }

    private static let place = "expected steps"

    /// The expected steps. If the inputs have steps, too, each is the same one as the expected one in its place.
    static func all(of check: Check) throws -> [TranscriptStep] {
        guard var values = check.expected["steps"]?.array, !values.isEmpty else {
            throw CheckError.malformed(place, "a list of steps")
        }
        if let done = check.inputs["steps"]?.array {
            guard done.count == values.count else { throw CheckError.malformed(place, "as many as in the inputs") }
            values = zip(done, values).map { done, came in
                (done.members ?? []).reduce(came) { $0.setting($1.name, to: $1.value) }
            }
        }
        return try values.map { try TranscriptStep(Fields(value: $0, place: place)) }
    }

    private init(_ fields: Fields) throws {
        guard fields.value.members != nil else { throw CheckError.malformed(Self.place, "objects") }
        self.fields = fields
        guard try Self.isDelivery(fields) else {
            kind = .sending(isAlice: try Self.isAlice(fields, "from"))
            return
        }
        let toAlice = fields.has("to") ? try Self.isAlice(fields, "to") : nil
        for name in ["deliver", "message", "index", "id"] {
            if let id = fields[name]?.string {
                kind = .delivery(.id(id, member: name), toAlice: toAlice)
                return
            }
            if let number = fields[name]?.integer {
                kind = .delivery(.number(Int(number), member: name), toAlice: toAlice)
                return
            }
        }
        kind = .delivery(.next, toAlice: toAlice)
    }

    private static func isDelivery(_ fields: Fields) throws -> Bool {
        guard let name = ["op", "action"].first(where: fields.has) else { return fields.has("deliver") }
        switch try fields.text(name) {
        case "send": return false
        case "deliver", "receive": return true
        default: throw CheckError.malformed("\(place) \(name)", "send, deliver or receive")
        }
    }

    private static func isAlice(_ fields: Fields, _ name: String) throws -> Bool {
        switch try fields.text(name) {
        case "alice": return true
        case "bob": return false
        default: throw CheckError.malformed("\(place) \(name)", "alice or bob")
        }
    }
}
