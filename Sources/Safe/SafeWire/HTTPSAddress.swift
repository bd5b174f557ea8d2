internal import Encodings
internal import HTTP

/// The base address of a Safe server over HTTPS: `https://HOST[:PORT]/PATH/`.
///
/// Host and path may hold `{backupIdPrefix8}`, which becomes the first byte of the backup id in hexadecimal: by it
/// the official servers share their load.
public struct HTTPSAddress: Equatable, Sendable {
    static let placeholder = "{backupIdPrefix8}"

    /// In lower case; an IPv6 address in brackets.
    public let host: String
    /// Nil for 443.
    public let port: UInt16?
    /// Begins and ends with a slash; percent signs only where they are needed, if they were well-formed.
    public let path: String

    init(host: String, port: UInt16?, path: String) {
        self.host = host
        self.port = port
        self.path = path
    }

    /// - Parameter text: what follows `https:`.
    init(parsing text: Substring) throws(SafeServerAddressError) {
        guard text.hasPrefix("//"), text.utf8.allSatisfy({ Self.allowed.contains($0) }) else { throw .badURL }
        let rest = text.dropFirst(2)
        let end = rest.firstIndex(of: "/") ?? rest.endIndex
        let authority = rest[..<end]
        // Also behind the host: `https://USER:5/SECRET@HOST` is a login whose slash was to be written %2F.
        guard !rest.utf8.contains(UInt8(ascii: "@")) else { throw .hasCredentials }
        guard !rest.contains("?"), !rest.contains("#") else { throw .badURL }
        guard let origin = HTTPOrigin(authority: authority) else { throw .badURL }
        host = origin.host.replacing(Self.placeholder.lowercased(), with: Self.placeholder)
        port = origin.port
        let steps = rest[end...].split(separator: "/").map(Self.normal)
        guard !steps.contains(".."), !steps.contains(".") else { throw .badURL }
        path = steps.isEmpty ? "/" : "/" + steps.joined(separator: "/") + "/"
    }

    /// The address, with a placeholder where there is one.
    public var text: String { "https://" + host + (port.map { ":\($0)" } ?? "") + path }

    /// The base for a backup: without a placeholder.
    public func base(for id: BackupID) -> String {
        text.replacing(Self.placeholder, with: String(id.hex.prefix(2)))
    }

    /// One step of a path in its one spelling (RFC 3986, 6.2.2): no percent signs for letters, digits and `-._~`, and
    /// upper-case digits behind the others.
    private static func normal(_ step: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = step.utf8
        while let byte = rest.popFirst() {
            let digits = Array(rest.prefix(2))
            guard byte == UInt8(ascii: "%"), digits.count == 2, let high = Hex.value(digits[0]),
                let low = Hex.value(digits[1])
            else {
                bytes.append(byte)
                continue
            }
            rest = rest.dropFirst(2)
            let meant = high << 4 | low
            bytes += unreserved.contains(meant) ? [meant] : [byte] + Array(Hex.encode([meant]).uppercased().utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

    /// Letters and digits, and what else URLs may hold; braces for the placeholder.
    private static let allowed = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/!$&'()*+,;=:@%[]?#{}".utf8)
}
