/// Where a Safe server is: `file:///DIR`, a folder with a server's layout.
///
/// HTTPS servers are not in this build; their addresses are recognised and refused as such.
public struct SafeServerAddress: Equatable, Sendable {
    /// Absolute path of the folder, without a slash at the end.
    public let folder: String

    /// The address as it is remembered, hashed and shown: `file://` and the path, with what a URL may
    /// not hold percent-encoded. One folder spelled in two ways is one address, except for links.
    public var text: String {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/!$&'()*+,;=:@".utf8)
        let hex = Array("0123456789ABCDEF".utf8)
        var bytes = Array("file://".utf8)
        for byte in folder.utf8 {
            bytes += allowed.contains(byte) ? [byte] : [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// - Throws: `.notInThisBuild` for `https://`, `.unknownScheme`, `.remoteHost` for a `file://` with
    ///   a host name, `.badPath` where the path is relative, holds `..`, a NUL or a wrong percent sign.
    public init(parsing text: String) throws(SafeServerAddressError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .unknownScheme }
        switch parts[0].lowercased() {
        case "file": break
        case "https": throw .notInThisBuild
        default: throw .unknownScheme
        }
        var rest = parts[1]
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            if rest.hasPrefix("localhost/") { rest = rest.dropFirst("localhost".count) }
            guard rest.hasPrefix("/") else { throw .remoteHost }
        }
        guard let path = Self.percentDecoded(rest), path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw .badPath
        }
        let steps = path.split(separator: "/").filter { $0 != "." }
        guard !steps.contains("..") else { throw .badPath }
        folder = "/" + steps.joined(separator: "/")
    }

    private static func percentDecoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let digits = String(rest.prefix(2)), let value = UInt8(digits, radix: 16),
                !digits.hasPrefix("+")
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// Why a text is no address of a Safe server.
public enum SafeServerAddressError: Error, Equatable, Sendable {
    /// An `https://` address, in a build without HTTPS.
    case notInThisBuild
    /// Neither `https://` nor `file://`.
    case unknownScheme
    /// `file://` with the name of another machine.
    case remoteHost
    /// Not an absolute path without `..`.
    case badPath
}
