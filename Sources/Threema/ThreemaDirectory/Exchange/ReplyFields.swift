internal import Encodings
internal import HTTP
internal import SecureMemory

/// The fields of a response that is a JSON object.
struct ReplyFields: Sendable {
    /// What a response may cost, and which of its fields are secret.
    struct Reading: Sendable {
        var maxBytes = 64 * 1024
        var maxValues = 1000
        /// Names of fields whose text never becomes a `String`.
        var secrets: [String] = []
        /// Whether status 404 means that the identity is unknown.
        var isOfIdentity = false
        /// Whether `success: false` is an answer.
        var isFailureAnswer = false
    }

    private let value: JSONValue
    private let body: [UInt8]
    private let secrets: [String: Range<Int>]

    /// - Parameter response: of success, and not longer than permitted.
    /// - Throws: `.badJSON`; `.refused`, `.failed` for `success: false`.
    init(_ response: HTTPResponse, _ reading: Reading) throws(DirectoryError) {
        // 204 has no body.
        let bytes = response.status == 204 && response.body.isEmpty ? Array("{}".utf8) : response.body
        do throws(JSONError) {
            let limits = JSONScanner.Limits(depth: 8, values: reading.maxValues)
            let parsed = try JSONScanner.parse(bytes.span, cutting: reading.secrets.map { [$0] }, limits: limits)
            value = parsed.value
            secrets = Dictionary(
                uniqueKeysWithValues: zip(reading.secrets, parsed.cuts).compactMap { name, cut in
                    cut.map { (name, $0) }
                })
        } catch {
            throw .badJSON(error)
        }
        body = bytes
        guard reading.isFailureAnswer || value["success"]?.bool != false else { throw try refusal() }
    }

    // MARK: Fields

    /// Whether there is a field of that name that is not null.
    func has(_ name: String) -> Bool {
        if secrets[name] != nil { return true }
        guard let value = value[name] else { return false }
        if case .null = value { return false }
        return true
    }

    func text(_ name: String) throws(DirectoryError) -> String {
        guard let text = value[name]?.string else { throw .malformed(field: name) }
        return text
    }

    /// - Returns: nil if there is no such field.
    func optionalText(_ name: String) throws(DirectoryError) -> String? { has(name) ? try text(name) : nil }

    func bool(_ name: String) throws(DirectoryError) -> Bool {
        guard let bool = value[name]?.bool else { throw .malformed(field: name) }
        return bool
    }

    /// A number of seconds, not negative.
    func seconds(_ name: String) throws(DirectoryError) -> Int {
        guard let number = value[name]?.integer, number >= 0 else { throw .malformed(field: name) }
        return Int(number)
    }

    func list(_ name: String) throws(DirectoryError) -> [JSONValue] {
        guard let list = value[name]?.array else { throw .malformed(field: name) }
        return list
    }

    func texts(_ name: String) throws(DirectoryError) -> [String] {
        let list = try list(name)
        let texts = list.compactMap(\.string)
        guard texts.count == list.count else { throw .malformed(field: name) }
        return texts
    }

    /// The elements of a list of objects.
    func objects(_ name: String) throws(DirectoryError) -> [ReplyFields] {
        let list = try list(name)
        guard list.allSatisfy({ $0.members != nil }) else { throw .malformed(field: name) }
        return list.map { ReplyFields(value: $0) }
    }

    private init(value: JSONValue) {
        self.value = value
        body = []
        secrets = [:]
    }

    func unsigned(_ name: String) throws(DirectoryError) -> UInt64 {
        guard case .number(let literal)? = value[name], let number = UInt64(literal) else {
            throw .malformed(field: name)
        }
        return number
    }

    /// The text of a field that the reading names as secret, at most 64 KiB.
    func secret(_ name: String) throws(DirectoryError) -> SecureBytes {
        guard let range = secrets[name], !range.isEmpty else { throw .malformed(field: name) }
        do throws(JSONError) {
            return try JSONScanner.unescape(range, of: body.span)
        } catch {
            throw .badJSON(error)
        }
    }

    // MARK: Results

    /// - Throws: `.refused` for `error` without `success`; `.malformed` with neither.
    func requireSuccess() throws(DirectoryError) {
        guard has("success") else { throw try refusalInstead(of: "success") }
        _ = try bool("success")
    }

    /// What to throw where a field is missing: the directory's refusal, if there is one.
    func refusalInstead(of field: String) throws(DirectoryError) -> DirectoryError {
        has("error") ? try refusal() : .malformed(field: field)
    }

    /// What the directory says of a refusal.
    private func refusal() throws(DirectoryError) -> DirectoryError {
        guard let text = try optionalText("error"), !text.isEmpty else { return .failed }
        return .refused(ServerWords(text))
    }
}
