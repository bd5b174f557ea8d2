internal import Primitives
internal import SecureMemory

/// What is shared is the secret under a passphrase, which may be empty (SLIP-0039, "Encryption of the master secret"):
/// a Feistel network of four rounds over its halves, with PBKDF2 as the round function.
///
/// Every passphrase opens to something.
struct SecretCipher: ~Copyable {
    private let passphrase: SecureBytes
    /// In front of the salt of each round: the customisation string and the identifier if the set is not extendable.
    private let prefix: [UInt8]
    /// Of one round.
    private let iterations: Int

    /// - Returns: nil for a passphrase with other characters than the printable ones of ASCII.
    init?(passphrase: Span<UInt8>, identifier: UInt16, isExtendable: Bool, iterationExponent: UInt8) {
        var isPrintable: UInt32 = .max
        for index in passphrase.indices {
            isPrintable &= ConstantTime.mask(UInt32(passphrase[index]), from: 0x20, through: 0x7e)
        }
        guard ConstantTime.reveal(isPrintable) else { return nil }
        self.passphrase = SecureBytes(copying: passphrase)
        prefix = isExtendable ? [] : Array("shamir".utf8) + [UInt8(identifier >> 8), UInt8(identifier & 0xff)]
        iterations = 2500 << Int(iterationExponent)
    }

    func seal(_ secret: borrowing SecureBytes) -> SecureBytes { run(secret, rounds: [0, 1, 2, 3]) }

    func open(_ sealed: borrowing SecureBytes) -> SecureBytes { run(sealed, rounds: [3, 2, 1, 0]) }

    /// Both directions: L, R = R, L ⊕ F(i, R) in each round, and R ‖ L at the end.
    private func run(_ bytes: borrowing SecureBytes, rounds: [UInt8]) -> SecureBytes {
        let half = bytes.count / 2
        var left = bytes.withBytes { SecureBytes(copying: $0.extracting(0..<half)) }
        var right = bytes.withBytes { SecureBytes(copying: $0.extracting(half..<2 * half)) }
        for round in rounds {
            let mask = function(round, right)
            let next = SecureBytes(count: half) { next in
                left.withBytes { left in
                    mask.withBytes { mask in for index in left.indices { next[index] = left[index] ^ mask[index] } }
                }
            }
            left = right
            right = next
        }
        var result = SecureBuffer(capacity: 2 * half)
        result.append(right)
        result.append(left)
        return result.finish()
    }

    private func function(_ round: UInt8, _ right: borrowing SecureBytes) -> SecureBytes {
        var password = SecureBuffer(capacity: 1 + passphrase.count)
        password.append(round)
        password.append(passphrase)
        var salt = SecureBuffer(capacity: prefix.count + right.count)
        salt.append(prefix.span)
        salt.append(right)
        return password.withBytes { password in
            salt.withBytes { salt in
                PBKDF2.deriveKey(password: password, salt: salt, iterations: iterations, count: right.count)
            }
        }
    }
}
