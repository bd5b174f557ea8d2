internal import Encodings
internal import Primitives
public import SecureMemory
internal import ThreemaMessages

// The web client's store, a text in the browser's local storage:
//
//   nonce, 48 hexadecimal digits ‖ : ‖ box in hexadecimal digits
//
//   box  XSalsa20-Poly1305, tag first, over the bytes in `TrustedPairing`
//   key  the first 32 bytes of SHA-512 over the password: of each UTF-16 code unit, the lower 8 bits

/// The pairing that a web client stores in a browser. Its protection is weak: the key has neither salt nor cost, so a
/// password is tried a hundred million times a second. Write it only for a web client that has to read it; to store a
/// pairing in a program of your own, see `TrustedPairing.encoded`.
public enum BrowserStore {
    /// Longest text, in characters.
    static let maxCount = 2 * (SecretBox.nonceCount + SecretBox.tagCount + TrustedPairing.maxBrowserCount) + 1

    /// Opens a store.
    /// - Parameters:
    ///   - text: as the browser has it.
    ///   - password: UTF-8.
    /// - Throws: `.notHexadecimal`, `.passwordNotUTF8`, `.notOpened`, and what `TrustedPairing` refuses.
    /// - Returns: a pairing without its server, which the page of the web client names.
    public static func open(
        _ text: String, password: borrowing SecureBytes
    ) throws(TrustedPairingError) -> TrustedPairing {
        let opened = try plaintext(text, password: password)
        return try opened.withBytes { (bytes) throws(TrustedPairingError) in
            try TrustedPairing(browser: bytes, server: nil)
        }
    }

    /// Writes a store, with a random nonce. The server of the pairing is not in it.
    /// - Parameter password: UTF-8.
    /// - Returns: the text that the browser stores. It tells no secret without the password.
    /// - Throws: `.passwordNotUTF8`.
    public static func seal(
        _ pairing: TrustedPairing, password: borrowing SecureBytes
    ) throws(TrustedPairingError) -> String {
        try seal(pairing, password: password, nonce: Random.bytes(SecretBox.nonceCount))
    }

    /// - Parameter nonce: 24 bytes, never used twice with one password.
    static func seal(
        _ pairing: TrustedPairing, password: borrowing SecureBytes, nonce: [UInt8]
    ) throws(TrustedPairingError) -> String {
        let key = try key(password: password)
        let bytes = pairing.browserBytes
        let box = key.withBytes { key in bytes.withBytes { SecretBox.seal($0, nonce: nonce, key: key) } }
        return Hex.encode(nonce) + ":" + Hex.encode(box)
    }

    /// The key of a password.
    /// - Parameter password: UTF-8.
    /// - Returns: 32 bytes.
    /// - Throws: `.passwordNotUTF8`.
    public static func key(password: borrowing SecureBytes) throws(TrustedPairingError) -> SecureBytes {
        let units = try password.withBytes { (utf8) throws(TrustedPairingError) in try lowerBytes(utf8) }
        let digest = units.withBytes { SHA512.hash($0) }
        return digest.withBytes { SecureBytes(copying: $0.extracting(0..<SecretBox.keyCount)) }
    }

    private static func plaintext(
        _ text: String, password: borrowing SecureBytes
    ) throws(TrustedPairingError) -> SecureBytes {
        guard text.utf8.count <= maxCount else { throw .notHexadecimal }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let nonce = Hex.decode(String(parts[0])), nonce.count == SecretBox.nonceCount,
            let box = Hex.decode(String(parts[1]))
        else { throw .notHexadecimal }
        let key = try key(password: password)
        do {
            return try key.withBytes { (key) throws(AuthenticationError) in
                try SecretBox.open(box.span, nonce: nonce, key: key)
            }
        } catch {
            throw .notOpened
        }
    }

    /// The lower 8 bits of each UTF-16 code unit.
    private static func lowerBytes(_ utf8: Span<UInt8>) throws(TrustedPairingError) -> SecureBytes {
        let isUTF8: Bool
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: utf8)
            isUTF8 = true
        } catch {
            isUTF8 = false
        }
        guard isUTF8 else { throw .passwordNotUTF8 }
        // No character has more code units than bytes.
        var units = SecureBuffer(capacity: utf8.count)
        var index = 0
        while index < utf8.count {
            let first = utf8[index]
            let count = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
            var scalar = count == 1 ? UInt32(first) : UInt32(first) & (0x7f >> UInt32(count))
            for offset in 1..<max(count, 1) { scalar = scalar << 6 | UInt32(utf8[index + offset] & 0x3f) }
            if count == 4 {
                // The lower 8 bits of both surrogates.
                units.append(UInt8(truncatingIfNeeded: (scalar - 0x10000) >> 10))
            }
            units.append(UInt8(truncatingIfNeeded: scalar))
            index += count
        }
        return units.finish()
    }
}
