import Primitives
import Ratchet
import SecureMemory

/// A message as this program sends it: two boxes, each a nonce and ChaCha20-Poly1305. The body authenticates the header.
struct Letter {
    private let headerBox: [UInt8]
    private let bodyBox: [UInt8]

    init(_ text: String, _ keys: OutgoingKeys) {
        let header = Self.encode(keys.header)
        headerBox = Self.seal(header, keys.headerKey!, [])
        bodyBox = Self.seal(Array(text.utf8), keys.messageKey, headerBox)
    }

    /// The session asks with each of its header keys.
    func header() -> ReceivedHeader {
        .sealed { key in
            guard let opened = try? Self.open(headerBox, key, []) else { return nil }
            return Self.decode(opened)
        }
    }

    func open(_ key: HeldKey) throws(AuthenticationError) -> SecureBytes { try Self.open(bodyBox, key, headerBox) }

    private static func seal(_ text: [UInt8], _ key: HeldKey, _ additional: [UInt8]) -> [UInt8] {
        let nonce = Random.bytes(ChaChaPoly.nonceCount)
        return nonce + ChaChaPoly.seal(text.span, nonce: nonce, key: key.bytes, additionalData: additional)
    }

    private static func open(
        _ box: [UInt8], _ key: HeldKey, _ additional: [UInt8]
    ) throws(AuthenticationError) -> SecureBytes {
        guard box.count >= ChaChaPoly.nonceCount else { throw .notAuthentic }
        let (nonce, sealed) = (Array(box.prefix(ChaChaPoly.nonceCount)), Array(box.dropFirst(ChaChaPoly.nonceCount)))
        return try ChaChaPoly.open(sealed.span, nonce: nonce, key: key.bytes, additionalData: additional)
    }

    private static func encode(_ header: RatchetHeader) -> [UInt8] {
        let numbers = [header.previousCount, header.number].flatMap { number in
            stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
        }
        return header.ratchetKey + numbers
    }

    private static func decode(_ opened: borrowing SecureBytes) -> RatchetHeader? {
        opened.withBytes { bytes in
            guard bytes.count == 40 else { return nil }
            let plain = bytes.indices.map { bytes[$0] }
            func number(_ place: Int) -> UInt32 { plain[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }
            return RatchetHeader(ratchetKey: Array(plain[..<32]), previousCount: number(32), number: number(36))
        }
    }
}
