internal import Encodings
internal import HTTP

/// The base address of a Safe server over HTTPS: `https://HOST[:PORT]/PATH/`.
///
/// Host and path may contain `{backupIdPrefix8}`, which is replaced by the first byte of the backup id in hexadecimal.
/// The official servers share their load by it.
public struct HTTPSAddress: Equatable, Sendable {
    static let placeholder = "{backupIdPrefix8}"

    /// In lower case; an IPv6 address in brackets.
    public let host: String
    /// Nil for 443.
    public let port: UInt16?
    /// Begins and ends with a slash. Percent signs are removed if they are not needed.
    public let path: String

    init(host: String, port: UInt16?, path: String) {
        self.host = host
        self.port = port
        self.path = path
    }

    /// - Parameter text: the address behind `https:`.
    init(parsing text: Substring) throws(SafeServerAddressError) {
        guard text.hasPrefix("//"), text.utf8.allSatisfy({ Self.allowed.contains($0) }) else { throw .badURL }
        let rest = text.dropFirst(2)
        let end = rest.firstIndex(of: "/") ?? rest.endIndex
        let authority = rest[..<end]
        // Also behind the host: `https://USER:5/SECRET@HOST` is a login with a slash that should be %2F.
        guard !rest.utf8.contains(UInt8(ascii: "@")) else { throw .hasCredentials }
        guard !rest.contains("?"), !rest.contains("#") else { throw .badURL }
        guard let origin = HTTPOrigin(authority: authority) else { throw .badURL }
        host = origin.host.replacing(Self.placeholder.lowercased(), with: Self.placeholder)
        port = origin.port
        let steps = rest[end...].split(separator: "/").map(Self.normal)
        guard !steps.contains(".."), !steps.contains(".") else { throw .badURL }
        path = steps.isEmpty ? "/" : "/" + steps.joined(separator: "/") + "/"
    }

    /// The address, including the placeholder.
    public var text: String { "https://" + host + (port.map { ":\($0)" } ?? "") + path }

    /// The base URL for a backup, with the placeholder replaced.
    public func base(for id: BackupID) -> String {
        text.replacing(Self.placeholder, with: String(id.hex.prefix(2)))
    }

    /// Normalises a path segment (RFC 3986, 6.2.2): no percent-encoding for letters, digits and `-._~`, upper-case
    /// digits for other bytes. A percent sign that encodes nothing is encoded itself: left as it is, it could encode
    /// something with what follows it then.
    private static func normal(_ step: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = step.utf8
        while let byte = rest.popFirst() {
            let digits = Array(rest.prefix(2))
            guard byte == UInt8(ascii: "%"), digits.count == 2, let high = Hex.value(digits[0]),
                let low = Hex.value(digits[1])
            else {
                bytes += byte == UInt8(ascii: "%") ? Array("%25".utf8) : [byte]
                continue
            }
            rest = rest.dropFirst(2)
            let meant = high << 4 | low
            bytes += unreserved.contains(meant) ? [meant] : [byte] + Array(Hex.encode([meant]).uppercased().utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

    /// The characters of a path; braces are for the placeholder.
    private static let allowed = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/!$&'()*+,;=:@%[]?#{}".utf8)
}
