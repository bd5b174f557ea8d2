import Primitives
import Ratchet
import SecureMemory

/// A message as the model sends it: header and body under ChaCha20-Poly1305. Each body key seals one body, so its nonce
/// is of zeros. Header keys seal many, so the number of the message is the nonce.
package struct Letter: Equatable, Sendable {
    package var header: [UInt8]
    package var body: [UInt8]

    private static let nonce = [UInt8](repeating: 0, count: ChaChaPoly.nonceCount)

    /// Seals a text.
    package init(_ text: [UInt8], _ keys: OutgoingKeys) {
        let plain = Self.encode(keys.header)
        header = plain
        if let key = keys.headerKey {
            let nonce = Array(plain[36..<40]) + [UInt8](repeating: 0, count: 8)
            header = nonce + ChaChaPoly.seal(plain.span, nonce: nonce, key: key.bytes, additionalData: [])
        }
        body = ChaChaPoly.seal(
            text.span, nonce: Self.nonce, key: Self.bodyKey(keys.messageKey).bytes, additionalData: header)
    }

    /// Ratchet key, previous count and number, 40 bytes.
    package static func encode(_ header: RatchetHeader) -> [UInt8] {
        header.ratchetKey
            + [header.previousCount, header.number].flatMap { number in
                (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
            }
    }

    private static func decode(_ bytes: [UInt8]) -> RatchetHeader? {
        guard bytes.count == 40 else { return nil }
        func number(_ place: Int) -> UInt32 { (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << UInt32(8 * $1) } }
        return RatchetHeader(ratchetKey: Array(bytes[..<32]), previousCount: number(32), number: number(36))
    }

    /// 32 bytes of what may be more.
    private static func bodyKey(_ key: HeldKey) -> HeldKey {
        guard key.bytes.count > 32 else { return key }
        return HeldKey(key.bytes.withBytes { SecureBytes(copying: $0.extracting(0..<32)) })
    }

    /// The header as the session takes it.
    package func received(_ suite: RatchetSuite) -> ReceivedHeader {
        if suite.headerKeys != nil { return .sealed { openHeader($0) } }
        return .plain(plainHeader)
    }

    /// A header that is not encrypted.
    package var plainHeader: RatchetHeader {
        Self.decode(header) ?? RatchetHeader(ratchetKey: [], previousCount: 0, number: 0)
    }

    private func openHeader(_ key: HeldKey) -> RatchetHeader? {
        guard header.count > 12 else { return nil }
        let (nonce, box) = (Array(header[..<12]), Array(header[12...]))
        guard let opened = try? ChaChaPoly.open(box.span, nonce: nonce, key: key.bytes, additionalData: []) else {
            return nil
        }
        return Self.decode(opened.revealBytes())
    }

    /// Opens the body.
    package func open(_ key: HeldKey) throws(AuthenticationError) -> SecureBytes {
        try ChaChaPoly.open(body.span, nonce: Self.nonce, key: Self.bodyKey(key).bytes, additionalData: header)
    }
}
