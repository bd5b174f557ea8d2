import Encodings

/// Sets a text in a JSON object, and prints the object with its members in order of their names.
///
///     echo 'OBJECT' | edit-json NAME TEXT
@main
struct EditJSON {
    static func main() {
        guard CommandLine.arguments.count == 3, let line = readLine() else {
            return print("usage: echo 'OBJECT' | edit-json NAME TEXT")
        }
        do throws(JSONError) {
            let edited = try set(CommandLine.arguments[1], to: CommandLine.arguments[2], in: Array(line.utf8))
            print(String(decoding: edited, as: UTF8.self))
        } catch {
            print(words(error))
        }
    }

    /// All other members stay as they are, also numbers that no type of Swift can hold.
    static func set(_ name: String, to text: String, in json: [UInt8]) throws(JSONError) -> [UInt8] {
        let document = try JSONScanner.parse(json.span, limits: .init(depth: 8, values: 1000))
        return document.setting(name, to: .string(text)).sorted.encoded
    }

    static func words(_ error: JSONError) -> String {
        switch error {
        case .syntax(let offset): "not JSON from byte \(offset) on"
        case .duplicateName(let offset): "two members of one name, the second one at byte \(offset)"
        case .notUnicode(let offset): "not Unicode at byte \(offset)"
        case .tooDeep(let limit): "more than \(limit) values in each other"
        case .tooManyValues(let limit): "more than \(limit) values"
        }
    }
}
