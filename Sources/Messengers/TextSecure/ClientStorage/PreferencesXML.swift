internal import Encodings
internal import SecureMemory

/// Reads the texts of an Android file of preferences: `<map><string name="…">…</string>…</map>`.
enum PreferencesXML {
    private static let limits = XMLScanner.Limits(depth: 8, elements: 10_000)

    /// The texts of those names, which are elements `string` of the map itself.
    /// - Parameter file: UTF-8; its length is checked before.
    /// - Throws: `.malformed`, also if one of the names stands twice.
    static func strings(_ file: Span<UInt8>, named names: [String]) throws(ClientStorageError) -> [String: String] {
        var scanner = XMLScanner(file.revealBytes(), limits: limits)
        var open: [(element: String, name: String?)] = []
        var texts: [String: String] = [:]
        while let event = try next(&scanner) {
            switch event {
            case .start(let element, let attributes):
                // The root is the map, and a text has no elements in it.
                guard open.isEmpty ? element == "map" : open.last?.element != "string" else { throw .malformed }
                open.append((element, attributes["name"]))
            case .end(let element, let text):
                guard let name = open.removeLast().name, element == "string", open.count == 1, names.contains(name)
                else { continue }
                guard texts.updateValue(text, forKey: name) == nil else { throw .malformed }
            }
        }
        return texts
    }

    private static func next(_ scanner: inout XMLScanner) throws(ClientStorageError) -> XMLScanner.Event? {
        do throws(XMLError) { return try scanner.next() } catch { throw .malformed }
    }
}
