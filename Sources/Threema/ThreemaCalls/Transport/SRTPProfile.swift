// Protection profiles of media, in the order in which they are offered (whitepaper, "Threema Calls", "WebRTC
// Encryption"). In the extension `use_srtp` of the ClientHello (RFC 5764, 4.1.1):
//
//   offset  length  meaning
//        0       2  bytes of the profiles, big-endian
//        2       6  the numbers of the profiles, big-endian
//        8       1  length of the master key identifier: 0, none

/// How SRTP may protect the media of a call, with the keys that DTLS has agreed upon.
public enum SRTPProfile: UInt16, CaseIterable, Sendable {
    /// RFC 7714.
    case aes256GCM = 0x0008
    /// RFC 7714.
    case aes128GCM = 0x0007
    /// AES-128 in counter mode, HMAC-SHA1 of 80 bits (RFC 5764).
    case aes128CounterSHA1 = 0x0001

    /// As IANA names the profile.
    public var name: String {
        switch self {
        case .aes256GCM: "SRTP_AEAD_AES_256_GCM"
        case .aes128GCM: "SRTP_AEAD_AES_128_GCM"
        case .aes128CounterSHA1: "SRTP_AES128_CM_HMAC_SHA1_80"
        }
    }

    /// As OpenSSL and BoringSSL name the profile.
    public var openSSLName: String { self == .aes128CounterSHA1 ? "SRTP_AES128_CM_SHA1_80" : name }

    /// The content of the extension `use_srtp` in a ClientHello: 9 bytes.
    public static var offered: [UInt8] { DTLSNumbers.list(allCases.map(\.rawValue)) + [0] }

    /// For `SSL_CTX_set_tlsext_use_srtp` and its like.
    public static var openSSLList: String { allCases.map(\.openSSLName).joined(separator: ":") }
}
