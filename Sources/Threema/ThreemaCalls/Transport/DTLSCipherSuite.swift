// Cipher suites of calls, in the order in which they are offered (whitepaper, "Threema Calls", "WebRTC Encryption"). In
// the ClientHello (RFC 5246, 7.4.1.2):
//
//   offset  length  meaning
//        0       2  bytes that follow, big-endian
//        2       6  the numbers of the suites, big-endian

/// A cipher suite that DTLS may use for a call. All have forward secrecy, and certificates with ECDSA.
public enum DTLSCipherSuite: UInt16, CaseIterable, Sendable {
    /// RFC 7905.
    case chaCha20Poly1305 = 0xcca9
    /// RFC 5289, with SHA-384.
    case aes256GCM = 0xc02c
    /// RFC 5289, with SHA-256.
    case aes128GCM = 0xc02b

    /// As IANA names the suite.
    public var name: String {
        switch self {
        case .chaCha20Poly1305: "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"
        case .aes256GCM: "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"
        case .aes128GCM: "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"
        }
    }

    /// As OpenSSL and BoringSSL name the suite.
    public var openSSLName: String {
        switch self {
        case .chaCha20Poly1305: "ECDHE-ECDSA-CHACHA20-POLY1305"
        case .aes256GCM: "ECDHE-ECDSA-AES256-GCM-SHA384"
        case .aes128GCM: "ECDHE-ECDSA-AES128-GCM-SHA256"
        }
    }

    /// The suites as a ClientHello offers them: 8 bytes.
    public static var offered: [UInt8] { DTLSNumbers.list(allCases.map(\.rawValue)) }

    /// For `SSL_CTX_set_cipher_list` and its like.
    public static var openSSLList: String { allCases.map(\.openSSLName).joined(separator: ":") }
}

/// Lists of numbers of 16 bits in messages of DTLS.
enum DTLSNumbers {
    /// The length of the list in bytes, 2 bytes, then each number. All are big-endian.
    static func list(_ numbers: [UInt16]) -> [UInt8] {
        ([UInt16(2 * numbers.count)] + numbers).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
    }
}
