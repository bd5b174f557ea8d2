import ArgumentParser
import Encodings
import Primitives
import SecureMemory

/// SHA-256 over a certificate in DER, as people compare it.
struct Fingerprint: Equatable, Sendable {
    private let digest: [UInt8]

    /// - Parameter digest: 32 bytes.
    init(_ digest: [UInt8]) { self.digest = digest }

    /// One word of 8 groups, as it may be typed from paper.
    var word: String {
        stride(from: 0, to: digest.count, by: 4).map { Hex.encode(Array(digest[$0..<$0 + 4])).uppercased() }
            .joined(separator: ":")
    }

    /// Two lines of 16 bytes.
    var lines: [String] {
        let bytes = digest.map { Hex.encode([$0]).uppercased() }
        return [bytes.prefix(16).joined(separator: ":"), bytes.dropFirst(16).joined(separator: ":")]
    }

    /// Of each certificate in a PEM text; what cannot be read is left out.
    static func ofCertificates(in pem: [UInt8]) -> [Fingerprint] {
        let parts = String(decoding: pem, as: UTF8.self).split(separator: "-----BEGIN CERTIFICATE-----").dropFirst(
            pem.starts(with: Array("-----BEGIN CERTIFICATE-----".utf8)) ? 0 : 1)
        return parts.compactMap { part -> Fingerprint? in
            guard let end = part.firstRange(of: "-----END CERTIFICATE-----") else { return nil }
            let base64 = part[..<end.lowerBound].utf8.filter { $0 > UInt8(ascii: " ") }
            guard let certificate = Base64.decode(base64.span) else { return nil }
            return Fingerprint(certificate.withBytes { SHA256.hash($0) })
        }
    }
}

extension Fingerprint: ExpressibleByArgument {
    /// 64 hexadecimal digits in either case. Colons may stand between them.
    init?(argument: String) {
        let digits = argument.filter { $0 != ":" }
        guard digits.utf8.count == 64, let digest = Hex.decode(digits) else { return nil }
        self.init(digest)
    }
}
