internal import Encodings

/// The address of a Safe server: a directory with a server's layout, or an HTTPS URL.
public enum SafeServerAddress: Equatable, Sendable {
    /// `file:///DIR`: the absolute path, without a slash at the end.
    case directory(String)
    /// `https://HOST[:PORT]/PATH/`.
    case https(HTTPSAddress)

    /// Threema's own servers, which share their load by the first byte of the backup id. Also read from `threema`.
    public static let official = SafeServerAddress.https(
        HTTPSAddress(host: "safe-\(HTTPSAddress.placeholder).threema.ch", port: nil, path: "/"))

    /// Longest address, in bytes.
    public static let maxBytes = 4096

    /// The text that means `official`.
    private static let officialName = "threema"

    /// The normalised address, without secrets: two spellings of a place have the same text, except for links.
    public var text: String {
        switch self {
        case .directory(let path): "file://" + Self.percentEncoded(path)
        case .https(let address): address.text
        }
    }

    /// The host name; `localhost` for a directory.
    public var host: String {
        switch self {
        case .directory: "localhost"
        case .https(let address): address.host
        }
    }

    /// - Parameter text: `file:///DIR`, `https://…`, or `threema`.
    /// - Throws: `.unknownScheme`; `.remoteHost` for a `file://` with a host name; `.badPath` if the path is relative,
    ///   or contains `..`, NUL or a malformed percent-encoding; `.badURL` or `.hasCredentials` for `https://`.
    public init(parsing text: String) throws(SafeServerAddressError) {
        if text == Self.officialName {
            self = .official
            return
        }
        guard text.utf8.count <= Self.maxBytes else { throw .badURL }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .unknownScheme }
        switch parts[0].lowercased() {
        case "file": self = .directory(try Self.directory(parts[1]))
        case "https": self = .https(try HTTPSAddress(parsing: parts[1]))
        default: throw .unknownScheme
        }
        // Percent-encoding may have made it longer.
        guard self.text.utf8.count <= Self.maxBytes else { throw .badURL }
    }

    /// Works on bytes: as a `Character`, a slash with a combining mark is another one, and different names can be
    /// equal.
    private static func directory(_ text: Substring) throws(SafeServerAddressError) -> String {
        let slash = UInt8(ascii: "/")
        var rest = text.utf8
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            if rest.starts(with: "localhost/".utf8) { rest = rest.dropFirst("localhost".utf8.count) }
            guard rest.first == slash else { throw .remoteHost }
        }
        guard let path = percentDecoded(rest), path.first == slash, !path.contains(0) else { throw .badPath }
        let steps = path.split(separator: slash).filter { !$0.elementsEqual(".".utf8) }
        guard !steps.contains(where: { $0.elementsEqual("..".utf8) }),
            let directory = String(validating: [slash] + steps.joined(separator: [slash]), as: UTF8.self)
        else { throw .badPath }
        return directory
    }

    /// Percent-encodes the bytes that a URL may not contain.
    private static func percentEncoded(_ path: String) -> String {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/!$&'()*+,;=:@".utf8)
        let hex = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in path.utf8 {
            bytes += allowed.contains(byte) ? [byte] : [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func percentDecoded(_ text: Substring.UTF8View) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Hex.value), let low = rest.popFirst().flatMap(Hex.value) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Whether both are the same address. Paths are compared by bytes.
    public static func == (left: SafeServerAddress, right: SafeServerAddress) -> Bool {
        switch (left, right) {
        case (.directory(let left), .directory(let right)): left.utf8.elementsEqual(right.utf8)
        case (.https(let left), .https(let right)): left == right
        default: false
        }
    }
}

/// Why a text was not read as the address of a Safe server.
public enum SafeServerAddressError: Error, Equatable, Sendable {
    /// The scheme is neither `https://` nor `file://`.
    case unknownScheme
    /// `file://` with a host name.
    case remoteHost
    /// The path is not absolute, or contains `..`.
    case badPath
    /// `https://` without a host, or with a malformed port, a query, a fragment, or a character that a URL may not
    /// have.
    case badURL
    /// `https://USER:PASSWORD@…`, which contains a password.
    case hasCredentials
}
