/// The query of a request, as it is signed and sent (Amazon S3 API Reference, "Signature Calculations for the
/// Authorization Header", canonical query string): `NAME=VALUE` in the byte order of the encoded names, with `&`
/// between them. Every byte except letters, digits and `-._~` is `%XX`.
package struct S3Query: Equatable, Sendable {
    /// Without parameters.
    package static let none = S3Query([:])

    /// Percent-encoded, without a question mark; empty without parameters.
    package let text: String

    /// - Parameter parameters: the value is empty for a parameter that has none.
    package init(_ parameters: [String: String]) {
        let encoded = parameters.map { (name: Self.encode($0), value: Self.encode($1)) }
        text = encoded.sorted { $0.name < $1.name }.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    private static func encode(_ text: String) -> String {
        text.utf8.map { byte in
            if isPlain(byte) { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return (byte < 0x10 ? "%0" : "%") + digits
        }.joined()
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._~".utf8.contains(byte)
        }
    }
}
