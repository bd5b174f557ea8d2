import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import MessengerKeeping

extension Owner {
    /// `threema/ABCD1234`.
    var text: String { messenger + "/" + id }
}

extension RecordName {
    /// For people: `safe of main`.
    var words: String { place.map { "\(text) of \($0.text)" } ?? text }
}

extension RecordDifference {
    /// For people, in a list.
    var words: String {
        switch kind {
        case .different: name.words
        case .onlyInArchive: "\(name.words) (only in the archive)"
        case .onlyInKeystore: "\(name.words) (only in the keystore)"
        case .damagedInKeystore: "\(name.words) (damaged in the keystore)"
        }
    }

    var json: JSONValue {
        .members([
            ("record", .string(name.text)), ("place", name.place.map { .string($0.text) }),
            ("difference", .string(kind.rawValue)),
        ])
    }
}

extension [RecordDifference] {
    var words: String { map(\.words).joined(separator: ", ") }
    /// Nil if there are none.
    var json: JSONValue? { isEmpty ? .none : .some(.array(map(\.json))) }
}

extension SessionFacts {
    /// For people: `sessions (12 values)`.
    var words: String { "sessions (\(Counted.text(values, "value")))" }
}

extension SessionFacts? {
    /// The member of a result; none without sessions.
    var members: [(String, JSONValue?)] {
        [("sessions", map { .members([("values", .number($0.values)), ("bytes", .number($0.bytes))]) })]
    }
}

extension Counted {
    /// `1 identity`, `2 identities`.
    static func identities(_ count: Int) -> String { count == 1 ? "1 identity" : "\(count) identities" }
}
