internal import Primitives
public import SecureMemory

// The symmetric part of the creation of an authorization key ("Creating an Authorization Key"), with nn = new_nonce and
// sn = server_nonce:
//
//     tmp_aes_key     = SHA1(nn ‖ sn) ‖ SHA1(sn ‖ nn)[0:12]
//     tmp_aes_iv      = SHA1(sn ‖ nn)[12:20] ‖ SHA1(nn ‖ nn) ‖ nn[0:4]
//     answer          = IGE of SHA1(data) (20) ‖ data ‖ 0 to 15 random bytes
//     new_nonce_hashN = SHA1(nn ‖ N ‖ auxiliary hash)[4:20]

/// The secret number that a client draws for the creation of one authorization key. Server and client know it.
public struct NewNonce: ~Copyable, Sendable {
    /// Length in bytes.
    public static let count = 32
    /// Length of the server's nonce in bytes.
    public static let serverNonceCount = 16

    /// The 32 bytes.
    public let bytes: SecureBytes

    /// - Parameter bytes: 32 bytes.
    public init(_ bytes: consuming SecureBytes) {
        precondition(bytes.count == Self.count)
        self.bytes = bytes
    }

    /// What the server answers to the client's half of the exchange.
    public enum Answer: UInt8, Sendable, CaseIterable {
        /// The key is created.
        case created = 1
        /// The client has to try again with another number.
        case retry = 2
        /// The key was not created.
        case failed = 3
    }

    /// The hash in a server's answer, by which a client knows that the answer is about this key.
    /// - Returns: 16 bytes.
    public func hash(_ answer: Answer, of key: borrowing AuthorizationKey) -> [UInt8] {
        let message = joined([], [answer.rawValue] + key.auxiliaryHash)
        return message.withBytes { Array(Legacy.SHA1.hash($0)[4...]) }
    }

    /// Whether a server's hash is that of this answer, in constant time.
    public func matches(_ hash: [UInt8], _ answer: Answer, of key: borrowing AuthorizationKey) -> Bool {
        ConstantTime.areEqual(self.hash(answer, of: key).span, hash.span)
    }

    /// Key and IV of the messages that carry the halves of the exchange.
    /// - Parameter serverNonce: 16 bytes.
    public func temporaryKeys(serverNonce: [UInt8]) -> BlockKeys {
        precondition(serverNonce.count == Self.serverNonceCount)
        let first = joined([], serverNonce).withBytes { Legacy.SHA1.derive($0) }
        let second = joined(serverNonce, []).withBytes { Legacy.SHA1.derive($0) }
        let third = bytes.withBytes { nonce in
            var twice = SecureBuffer(capacity: 2 * nonce.count)
            twice.append(nonce)
            twice.append(nonce)
            return twice.finish()
        }.withBytes { Legacy.SHA1.derive($0) }
        var key = SecureBuffer(capacity: BlockKeys.keyCount)
        var iv = SecureBuffer(capacity: BlockKeys.ivCount)
        key.append(first)
        second.withBytes { second in
            key.append(second.extracting(0..<12))
            iv.append(second.extracting(12..<20))
        }
        iv.append(third)
        bytes.withBytes { iv.append($0.extracting(0..<4)) }
        return BlockKeys(key: key.finish(), iv: iv.finish())
    }

    private func joined(_ before: [UInt8], _ after: [UInt8]) -> SecureBytes {
        var buffer = SecureBuffer(capacity: before.count + Self.count + after.count)
        buffer.append(before.span)
        buffer.append(bytes)
        buffer.append(after.span)
        return buffer.finish()
    }
}

/// Half of a Diffie-Hellman exchange, encrypted under temporary keys, with a SHA-1 of it in front.
public enum KeyExchangeAnswer {
    /// Longest answer that is opened, in bytes. Real ones have 600.
    public static let maxCount = 65_536
    private static let maxPadding = 15

    /// - Parameter random: draws the padding, up to 15 bytes.
    public static func seal(
        _ data: Span<UInt8>, keys: borrowing BlockKeys, random: (Int) -> [UInt8] = Random.bytes
    ) -> [UInt8] {
        let padding = random(BlockKeys.paddingCount(of: Legacy.SHA1.count + data.count))
        var plain = SecureBuffer(capacity: Legacy.SHA1.count + data.count + padding.count)
        plain.append(Legacy.SHA1.hash(data).span)
        plain.append(data)
        plain.append(padding.span)
        return plain.finish().withBytes { keys.encrypt($0) }
    }

    /// The length of the data is not in the answer: it is the one with which the hash is right.
    /// - Throws: `.malformed` if the length is 0, not a multiple of 16, or above `maxCount`; `.notAuthentic`.
    public static func open(
        _ answer: Span<UInt8>, keys: borrowing BlockKeys
    ) throws(KeyExchangeError) -> SecureBytes {
        guard (Legacy.SHA1.count...maxCount).contains(answer.count),
            answer.count.isMultiple(of: Legacy.AESIGE.blockCount)
        else { throw .malformed }
        let plain = keys.decrypt(answer)
        let data = plain.withBytes { plain -> SecureBytes? in
            let hash = plain.extracting(0..<Legacy.SHA1.count)
            let rest = plain.extracting(Legacy.SHA1.count..<plain.count)
            for padding in 0...min(maxPadding, rest.count) {
                let data = rest.extracting(0..<rest.count - padding)
                if ConstantTime.areEqual(Legacy.SHA1.hash(data).span, hash) { return SecureBytes(copying: data) }
            }
            return nil
        }
        switch consume data {
        case .some(let data): return data
        case .none: throw .notAuthentic
        }
    }
}

/// Why an answer was not opened.
public enum KeyExchangeError: Error, Equatable, Sendable {
    case malformed
    /// Another key, or changed bytes.
    case notAuthentic
}
