/// How the push service of a phone finds the app. The web client sends it to a relay, which wakes the app.
public enum WebPushToken: Equatable, Sendable {
    /// Google's service.
    case fcm(String)
    /// Apple's service: device, endpoint (`p` for production, `s` for the sandbox) and bundle ID.
    case apns(token: String, endpoint: String, bundleID: String)
    /// Huawei's service.
    case hms(appID: String, token: String)

    /// Reads the text that a web client stores: a letter, a colon, and the token. Without letter and colon it is a
    /// token of FCM, which older clients have stored.
    /// - Returns: nil if a part is missing or has other characters than printable ASCII.
    public init?(stored text: String) {
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
        let bytes = Array(text.utf8)
        guard bytes.count > 1, bytes[1] == UInt8(ascii: ":") else {
            guard !text.isEmpty else { return nil }
            self = .fcm(text)
            return
        }
        let token = text.dropFirst(2)
        switch bytes[0] {
        case UInt8(ascii: "g") where !token.isEmpty: self = .fcm(String(token))
        case UInt8(ascii: "a"):
            let parts = Self.parts(token, ";")
            guard parts.count == 3 else { return nil }
            self = .apns(token: parts[0], endpoint: parts[1], bundleID: parts[2])
        case UInt8(ascii: "h"):
            let parts = Self.parts(token, "|")
            guard parts.count == 2 else { return nil }
            self = .hms(appID: parts[0], token: parts[1])
        default: return nil
        }
    }

    /// The text that a web client stores.
    public var stored: String {
        switch self {
        case .fcm(let token): "g:\(token)"
        case .apns(let token, let endpoint, let bundleID): "a:\(token);\(endpoint);\(bundleID)"
        case .hms(let appID, let token): "h:\(appID)|\(token)"
        }
    }

    /// - Returns: none if one of them is empty.
    private static func parts(_ text: Substring, _ delimiter: Character) -> [String] {
        let parts = text.split(separator: delimiter, omittingEmptySubsequences: false).map(String.init)
        return parts.contains("") ? [] : parts
    }
}
