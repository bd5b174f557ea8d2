internal import Encodings

/// An address at which a device may be reached in a call (RFC 8839, 5.1).
public struct CallCandidate: Equatable, Sendable {
    /// `candidate:…`, as in a session description.
    public let text: String
    /// The section that it belongs to; nil if only its number is known.
    public let section: String?
    /// The number of the section.
    public let index: UInt32
    /// Of the session in which it was found.
    public let fragment: String?

    /// Puts the parts together.
    public init(text: String, section: String?, index: UInt32, fragment: String?) {
        self.text = text
        self.section = section
        self.index = index
        self.fragment = fragment
    }

    /// Whether the address is that of a relay, and the address behind the relay is not named.
    public var isRelayed: Bool {
        let words = text.split(separator: " ")
        guard let type = words.firstIndex(of: "typ"), type + 1 < words.count, words[type + 1] == "relay" else {
            return false
        }
        guard let related = words.firstIndex(of: "raddr") else { return true }
        return related + 1 < words.count && ["0.0.0.0", "::"].contains(words[related + 1])
    }

    init?(_ json: JSONValue) {
        guard let text = json["candidate"]?.string, let number = json["sdpMLineIndex"]?.integer,
            let index = UInt32(exactly: number)
        else { return nil }
        self.init(text: text, section: json["sdpMid"]?.string, index: index, fragment: json["ufrag"]?.string)
    }

    var json: JSONValue {
        [
            "candidate": .string(text), "sdpMid": section.map { .string($0) } ?? nil,
            "sdpMLineIndex": .number(index), "ufrag": fragment.map { .string($0) } ?? nil,
        ]
    }
}
