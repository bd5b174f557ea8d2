/// How the push service of a phone finds the app. The app tells it to the web client, which stores it, and sends it to a
/// relay that wakes the app.
public struct WebPushToken: Equatable, Sendable {
    /// Who delivers the notification. Stored is a letter.
    public enum Service: Character, Sendable {
        /// Google's service.
        case fcm = "g"
        /// Apple's service.
        case apns = "a"
        /// Huawei's service.
        case hms = "h"
    }

    /// Longest token in bytes of UTF-8.
    public static let maxBytes = 4096

    /// The text that a web client stores.
    public let stored: String
    /// The service that delivers the notification, and that has given the token.
    public let service: Service
    /// The token of the service.
    public let token: String

    /// A token that the app has told. What is accepted can be stored and read again.
    /// - Returns: nil if it is empty, longer than `maxBytes`, or has a NUL.
    public init?(_ service: Service, _ token: String) {
        guard Self.isAccepted(token) else { return nil }
        self.service = service
        self.token = token
        stored = "\(service.rawValue):\(token)"
    }

    /// Reads the text that a web client stores: a letter, a colon, and the token. Without letter and colon it is a
    /// token of FCM, which older clients have stored.
    /// - Returns: nil for another letter, without a token, and for one that is longer than `maxBytes` or has a NUL.
    public init?(stored text: String) {
        // Scalars, because a character after the colon could join it.
        let scalars = text.unicodeScalars
        guard let first = scalars.first, scalars.dropFirst().first == ":" else {
            guard Self.isAccepted(text) else { return nil }
            (stored, service, token) = (text, .fcm, text)
            return
        }
        let rest = String(String.UnicodeScalarView(scalars.dropFirst(2)))
        guard let service = Service(rawValue: Character(first)), Self.isAccepted(rest) else { return nil }
        (stored, self.service, token) = (text, service, rest)
    }

    private static func isAccepted(_ token: String) -> Bool {
        (1...maxBytes).contains(token.utf8.count) && !token.utf8.contains(0)
    }

    /// The fields of a request to the relay. A token of APNs is device, endpoint and bundle ID with semicolons between
    /// them; one of HMS is app ID and token with a bar.
    /// - Returns: nil if a part is missing.
    var fields: [(name: String, value: String)]? {
        switch service {
        case .fcm: return [("type", "fcm"), ("token", token)]
        case .apns:
            guard let parts = parts(";", count: 3) else { return nil }
            return [("type", "apns"), ("token", parts[0]), ("endpoint", parts[1]), ("bundleid", parts[2])]
        case .hms:
            guard let parts = parts("|", count: 2) else { return nil }
            return [("type", "hms"), ("token", parts[1]), ("appid", parts[0])]
        }
    }

    private func parts(_ delimiter: Character, count: Int) -> [String]? {
        let parts = token.split(separator: delimiter, omittingEmptySubsequences: false).map(String.init)
        return parts.count == count && !parts.contains("") ? parts : nil
    }
}
