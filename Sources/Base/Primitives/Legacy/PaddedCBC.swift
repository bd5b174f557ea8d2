package import SecureMemory

extension Legacy {
    /// AES-CBC with the padding of PKCS#7: 1 to 16 bytes that each say how many there are.
    package enum PaddedCBC {
        package static let blockCount = AESCBC.blockCount
        package static let ivCount = AESCBC.ivCount

        /// Length of what `seal` returns.
        package static func sealedCount(_ count: Int) -> Int { (count / blockCount + 1) * blockCount }

        /// - Returns: 1 to 16 bytes more than `plaintext`.
        package static func seal(_ plaintext: Span<UInt8>, key: borrowing SecureBytes, iv: [UInt8]) -> [UInt8] {
            let count = sealedCount(plaintext.count)
            var padded = SecureBuffer(capacity: count)
            padded.append(plaintext)
            while !padded.isFull { padded.append(UInt8(count - plaintext.count)) }
            return padded.finish().withBytes { AESCBC.encrypt($0, key: key, iv: iv) }
        }

        /// Call it for authentic bytes only, or for bytes of the user's own: which padding it accepts must tell nothing to
        /// an attacker.
        /// - Returns: nil if the length is not a positive multiple of 16, or for a wrong padding.
        package static func open(_ ciphertext: Span<UInt8>, key: borrowing SecureBytes, iv: [UInt8]) -> SecureBytes? {
            guard ciphertext.count >= blockCount, ciphertext.count.isMultiple(of: blockCount) else { return nil }
            let padded = AESCBC.decrypt(ciphertext, key: key, iv: iv)
            return padded.withBytes { bytes in
                guard let count = unpaddedCount(bytes) else { return nil }
                return SecureBytes(copying: bytes.extracting(first: count))
            }
        }

        /// The length without the padding; nil for a wrong one.
        /// - Parameter bytes: whole blocks, 16 bytes or more.
        private static func unpaddedCount(_ bytes: Span<UInt8>) -> Int? {
            // The bytes are authentic or the user's own, and their length is not secret.
            let padding = ConstantTime.reveal(count: UInt32(bytes[bytes.count - 1]))
            guard (1...blockCount).contains(padding) else { return nil }
            let count = bytes.count - padding
            var difference: UInt32 = 0
            for index in count..<bytes.count { difference |= UInt32(bytes[index]) ^ UInt32(padding) }
            return ConstantTime.reveal(difference) ? nil : count
        }
    }
}
