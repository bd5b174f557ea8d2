internal import Encodings

// The app's settings, `shared_prefs/PACKAGE_preferences.xml`:
//
//   <map>
//     <string name="identity">8 characters</string>
//     <string name="public_key">64 hexadecimal digits</string>
//     <string name="nickname">text; missing if there is none</string>
//     …  strings, numbers, and sets of strings
//   </map>

/// Whose private key an Android app has.
public struct AndroidAccount: Equatable, Sendable {
    /// Longest settings, in bytes.
    public static let maxCount = 4 * 1024 * 1024
    // A set of strings is the deepest.
    private static let limits = XMLScanner.Limits(depth: 3, elements: 100_000)

    /// The ID of the account.
    public let id: ThreemaID
    /// By which the private key is known.
    public let publicKey: PublicKey
    /// What the user is called; nil if the settings do not say.
    public let nickname: String?

    /// An account of which there are no settings: ID and key are those of the directory's answer.
    public init(id: ThreemaID, publicKey: PublicKey, nickname: String? = nil) {
        self.id = id
        self.publicKey = publicKey
        self.nickname = nickname
    }

    /// Reads the app's settings. What else they contain is not looked at.
    /// - Throws: `.wrongLength` above `maxCount`; `.malformed`; `.missing` and `.invalid` with the name of the value.
    public init(settings: [UInt8]) throws(AndroidFileError) {
        guard settings.count <= Self.maxCount else { throw .wrongLength(settings.count) }
        let values: [String: String]
        do throws(XMLError) { values = try Self.strings(settings) } catch { throw .malformed }
        guard let identity = values["identity"] else { throw .missing("identity") }
        guard let id = try? ThreemaID(identity) else { throw .invalid("identity") }
        guard let hex = values["public_key"] else { throw .missing("public_key") }
        guard let publicKey = Hex.decode(hex).flatMap({ PublicKey($0) }) else { throw .invalid("public_key") }
        self.init(id: id, publicKey: publicKey, nickname: values["nickname"])
    }

    /// The texts directly in `map`, without those that have a name twice.
    private static func strings(_ settings: [UInt8]) throws(XMLError) -> [String: String] {
        var scanner = XMLScanner(settings, limits: limits)
        var open: [(element: String, name: String?)] = []
        var values: [String: String] = [:]
        var repeated: Set<String> = []
        while let event = try scanner.next() {
            switch event {
            case .start(let element, let attributes): open.append((element, attributes["name"]))
            case .end(_, let text):
                let (element, name) = open.removeLast()
                guard element == "string", open.count == 1, open[0].element == "map", let name else { continue }
                if values.updateValue(text, forKey: name) != nil { repeated.insert(name) }
            }
        }
        return values.filter { !repeated.contains($0.key) }
    }
}
