internal import Encodings
internal import HTTP

/// The members of an answer's object. Clients and servers of the time wrote numbers also as text, and truth values, too.
struct AnswerFields {
    static let limits = JSONScanner.Limits(depth: 8, values: 20_000)

    let value: JSONValue

    init(_ response: HTTPResponse) throws(ServerError) {
        do throws(JSONError) {
            value = try JSONScanner.parse(response.body.span, limits: Self.limits)
        } catch {
            throw .malformed(field: "")
        }
        guard value.members != nil else { throw .malformed(field: "") }
    }

    init(_ value: JSONValue, of list: String) throws(ServerError) {
        guard value.members != nil else { throw .malformed(field: list) }
        self.value = value
    }

    func text(_ name: String) throws(ServerError) -> String {
        guard let text = value[name]?.string else { throw .malformed(field: name) }
        return text
    }

    /// Text, or nil if it is missing, null or empty.
    func optionalText(_ name: String) throws(ServerError) -> String? {
        switch value[name] {
        case nil, .null: return nil
        case .string(let text): return text.isEmpty ? nil : text
        default: throw .malformed(field: name)
        }
    }

    /// A number, or text of decimal digits.
    func number(_ name: String) throws(ServerError) -> UInt64 {
        let literal: String? =
            switch value[name] {
            case .number(let literal): literal
            case .string(let text): text
            default: nil
            }
        guard let literal, !literal.isEmpty, literal.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = UInt64(literal)
        else { throw .malformed(field: name) }
        return number
    }

    /// true, false, or text of these; a missing one is false.
    func truth(_ name: String) throws(ServerError) -> Bool {
        switch value[name] {
        case nil, .null: return false
        case .bool(let truth): return truth
        case .string("true"): return true
        case .string("false"): return false
        default: throw .malformed(field: name)
        }
    }

    /// A list; a missing one is empty.
    func list(_ name: String, limit: Int) throws(ServerError) -> [JSONValue] {
        switch value[name] {
        case nil, .null: return []
        case .array(let values):
            guard values.count <= limit else { throw .tooMany(limit: limit) }
            return values
        default: throw .malformed(field: name)
        }
    }

    func texts(_ name: String, limit: Int) throws(ServerError) -> [String] {
        var texts: [String] = []
        for value in try list(name, limit: limit) {
            guard let text = value.string else { throw .malformed(field: name) }
            texts.append(text)
        }
        return texts
    }

    func publicKey(_ name: String) throws(ServerError) -> PublicKey33 {
        guard let key = PublicKey33(text: try text(name)) else { throw .malformed(field: name) }
        return key
    }
}
