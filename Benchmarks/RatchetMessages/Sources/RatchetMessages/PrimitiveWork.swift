import CPeers

/// What libsodium has to do for a message that is sealed and opened, without anything around it.
final class PrimitiveWork {
    private let text: [UInt8]
    private var header = [UInt8](repeating: 1, count: 40)
    private var key = [UInt8](repeating: 2, count: 32)
    private var headerBox = [UInt8](repeating: 0, count: 56)
    private var box: [UInt8]
    private var plain: [UInt8]
    private var nonce = [UInt8](repeating: 0, count: 12)
    private var point = [UInt8](repeating: 0, count: 32)

    init(_ text: [UInt8]) {
        guard sodium_init() >= 0 else { fatalError("libsodium") }
        self.text = text
        plain = text
        box = [UInt8](repeating: 0, count: text.count + 16)
        crypto_scalarmult_base(&point, key)
    }

    /// On each side two keys of the chain and two boxes, the header's and the body's.
    func message() {
        for _ in 0..<2 { step() }
        var count: UInt64 = 0
        randombytes_buf(&nonce, 12)
        crypto_aead_chacha20poly1305_ietf_encrypt(&headerBox, &count, header, 40, nil, 0, nil, nonce, key)
        open(headerBox, into: &header, additional: [])
        randombytes_buf(&nonce, 12)
        crypto_aead_chacha20poly1305_ietf_encrypt(
            &box, &count, text, UInt64(text.count), headerBox, UInt64(headerBox.count), nil, nonce, key)
        open(box, into: &plain, additional: headerBox)
    }

    /// What opens with new chains needs, beside: a key pair, two agreements, and for each of them three keys. The first
    /// try at the header is under the former key.
    func turn() {
        randombytes_buf(&key, 32)
        var publicKey = point
        crypto_scalarmult_base(&publicKey, key)
        for _ in 0..<2 {
            var shared = point
            guard crypto_scalarmult(&shared, key, point) == 0 else { fatalError("libsodium") }
            // HKDF: extract, and expand to 96 bytes.
            for _ in 0..<4 { crypto_auth_hmacsha256(&shared, point, 32, key) }
        }
        var count: UInt64 = 0
        let other = [UInt8](repeating: 9, count: 32)
        guard
            crypto_aead_chacha20poly1305_ietf_decrypt(
                &header, &count, nil, headerBox, UInt64(headerBox.count), nil, 0, nonce, other) != 0
        else { fatalError("libsodium") }
    }

    private func step() {
        var (message, following) = (key, key)
        crypto_auth_hmacsha256(&message, [1], 1, key)
        crypto_auth_hmacsha256(&following, [2], 1, key)
    }

    private func open(_ box: [UInt8], into plain: inout [UInt8], additional: [UInt8]) {
        var count: UInt64 = 0
        guard
            crypto_aead_chacha20poly1305_ietf_decrypt(
                &plain, &count, nil, box, UInt64(box.count), additional, UInt64(additional.count), nonce, key) == 0
        else { fatalError("libsodium") }
    }
}
